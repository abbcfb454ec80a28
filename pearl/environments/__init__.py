"""What a learner faces: instances with known truth, built from tables."""
