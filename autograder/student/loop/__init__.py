"""The loop of `python check.py`: run the public checks, say what they found, and again on every save."""
