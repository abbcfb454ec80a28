"""Bandits with memory: planners, the optimum, estimators and learners."""
