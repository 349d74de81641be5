"""A grade or a class in words on a screen. Reads grades only."""
