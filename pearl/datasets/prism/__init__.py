"""PRISM: what 1,500 people say that they want of language models, and how they rate 21 of them."""
