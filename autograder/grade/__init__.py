"""One submission in, one grade out."""
