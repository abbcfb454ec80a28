"""The loops that let a learner meet an environment."""
