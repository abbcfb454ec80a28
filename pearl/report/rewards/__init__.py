"""Tables and figures of average rewards: the PEARL paper's family."""
