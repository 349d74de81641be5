"""The same checks in one process, without isolation.

`python -m autograder.bench.unwalled COURSE NAME FOLDER`. Only for layers that this project itself wrote.
"""

import sys
from pathlib import Path

import numpy as np

from autograder.course import load_course
from autograder.grade.grader import Grader
from autograder.layer import trusted_layer
from autograder.submission import Submission, stream_submissions


def main(course_path: str, name: str, folder: str) -> None:
    course = load_course(Path(course_path))
    grader = Grader(course, name, level="L1", diagnose=False)  # its zygote is never started
    for item in stream_submissions([folder], assignment=name):
        assert isinstance(item, Submission)
        with np.errstate(all="ignore"):
            grader.judge(trusted_layer(b"\n".join(item.source.chunks), grader.assignment.class_name))


main(*sys.argv[1:])
