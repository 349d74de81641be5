"""The pytest face of the hidden checks: an item a check part, verdicts and points as `autograder grade`.

    pytest autograder/hidden --submission=FILE [--assignment NAME] [--course grading.toml] [--isolation L3]

Points are in JUnit's properties `points` and `max_points` (`--junitxml`). It runs for one submission; a class
is for `autograder grade`. The equals sign matters for files of others: in `--submission FILE` pytest at first
takes FILE for a folder of tests, and would import a `conftest.py` beside it, outside the wall.
"""
