"""`python -m autograder` is the command."""

from autograder.cli import main

main()
