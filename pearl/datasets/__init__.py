"""Bytes to typed tables: where each data set comes from, checked, with its provenance.

A data set is one folder here (its manifest, reader, table and sample generator) and one line in
`registry.py`. Where its texts have to be vectors, `embedding/` makes them.
"""
