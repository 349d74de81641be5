"""What students receive, made from the one source of an assignment."""

from autograder.build.errors import BuildError
from autograder.build.files import drift, generated, write
from autograder.build.stub import cut

__all__ = ["BuildError", "cut", "drift", "generated", "write"]
