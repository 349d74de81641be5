# A copy of autograder/student/loop/__init__.py, made by `autograder build`: edit that file and build again.
"""The loop of `python check.py`: run the public checks, say what they found, and again on every save."""
