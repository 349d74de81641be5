"""What all submissions of a run share, as data that can go to any process on any machine."""

from __future__ import annotations

import hashlib
import json
import pickle
from dataclasses import dataclass

from ..course import Course
from ..grade.grader import Grader, grader_digest
from ..submission import Refusal, Submission

Work = Submission | Refusal


@dataclass(frozen=True)
class Job:
    """A course, an assignment of it, and how it is graded."""

    packed: bytes  # the course; holds secrets, which go to graders alone and never to a worker
    name: str
    level: str
    course_digest: str
    grader_digest: str
    diagnose: bool = True

    @classmethod
    def of(cls, course: Course, name: str, level: str, *, diagnose: bool = True) -> Job:
        """Of the course as it is on the disk now. Raises OSError when one of its files cannot be read."""
        from ..diagnosis.known import file_of

        held = course.holding((course.solution_path(name), course.mistakes_path(name), file_of(course, name)))
        return cls(pickle.dumps(held), name, level, held.digest(name), grader_digest(), diagnose)

    @property
    def course(self) -> Course:
        """With what a grader reads of it: no file is read, and none written that could be left behind."""
        course: Course = pickle.loads(self.packed)
        return course

    def grader(self) -> Grader:
        """A grader of this job that has proved its level. Raises IsolationError, CourseError."""
        grader = Grader(self.course, self.name, level=self.level, diagnose=self.diagnose)
        grader.prove()
        return grader

    def made_from(self, item: Work) -> str:
        """SHA-256 (hex) over all that the item's grade depends on: what is equal need not be graded again."""
        if isinstance(item, Refusal):
            handed_in = ["", "", item.reason]
        else:
            handed_in = [item.source.digest, item.source.kind, *item.notes]
        parts = [self.course_digest, self.grader_digest, self.name, self.level, self.diagnose, handed_in]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
