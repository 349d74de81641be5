"""Grades the files of tests/attacks as a class and looks at everything that they may have touched."""
