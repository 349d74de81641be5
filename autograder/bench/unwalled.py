"""The same checks in one process, without isolation.

`python -m autograder.bench.unwalled COURSE NAME FOLDER`. Only for layers that this project itself wrote.
"""

import sys
from pathlib import Path

import numpy as np

from autograder.checks import prepare
from autograder.course import load_course
from autograder.layer import trusted_layer
from autograder.submission import Submission, stream_submissions


def main(course_path: str, name: str, folder: str) -> None:
    course = load_course(Path(course_path))
    assignment = course.assignments[name]
    checks = prepare(assignment, course.solution_path(name).read_bytes())
    for item in stream_submissions([folder], assignment=name):
        assert isinstance(item, Submission)
        with np.errstate(all="ignore"):
            layer = trusted_layer(b"\n".join(item.source.chunks), assignment.class_name)
            for check in checks:
                check.run(layer)


main(*sys.argv[1:])
