"""Tables and figures that no run stands behind: measured in the data, or made of the registry."""
