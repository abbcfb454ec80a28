"""Contextual bandits: the reward network, its training, the step, methods and the policy."""
