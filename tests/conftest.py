"""A gradebook and what it says, for the tests of it."""

import pytest

from autograder.gradebook import Gradebook


@pytest.fixture
def said():
    return []


@pytest.fixture
def gradebook(tmp_path, said):
    with Gradebook(tmp_path / "gradebook.db", said.append) as gradebook:
        yield gradebook
