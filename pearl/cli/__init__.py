"""The command line over everything."""
