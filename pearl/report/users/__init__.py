"""Tables and figures of PEARL's paper that tell users apart."""
