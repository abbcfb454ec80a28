"""Prefect flows: thin wrappers that schedule and watch; no science here."""
