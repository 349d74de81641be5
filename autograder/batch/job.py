"""What all submissions of a run share, as data that can go to any process on any machine."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ..course import Course, load_course
from ..grade.grader import Grader, grader_digest
from ..submission import Refusal, Submission

Work = Submission | Refusal


@dataclass(frozen=True)
class CourseFiles:
    """All that a grader reads of a course, as bytes. Secrets: they go to graders alone, never to a worker."""

    grading: str  # the path of grading.toml below the folder that holds all files
    files: tuple[tuple[str, bytes], ...]  # (path below that folder, content)

    @classmethod
    def of(cls, course: Course) -> CourseFiles:
        """Raises OSError when one cannot be read. Those below an absolute path stay where they are."""
        from ..diagnosis.known import FILE

        grading = course.root / "grading.toml"
        named = []
        for name in course.assignments:
            if not Path(course.course.solutions).is_absolute():
                named += [course.solution_path(name), course.mistakes_path(name)]
            named.append(course.root / course.course.assignments / name / FILE)
        paths = [Path(os.path.abspath(path)) for path in named if path.is_file()]
        base = Path(os.path.commonpath([course.root, *(path.parent for path in paths)]))
        return cls(
            str(grading.relative_to(base)),
            (
                (str(grading.relative_to(base)), course.source),
                *((str(path.relative_to(base)), path.read_bytes()) for path in paths),
            ),
        )

    def unpack(self, folder: Path) -> Path:
        """Write the files below `folder`; the path of grading.toml."""
        for name, content in self.files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        return folder / self.grading


@dataclass(frozen=True)
class Job:
    """A course, an assignment of it, and how it is graded."""

    files: CourseFiles
    name: str
    level: str
    course_digest: str
    grader_digest: str
    diagnose: bool = True

    @classmethod
    def of(cls, course: Course, name: str, level: str, *, diagnose: bool = True) -> Job:
        return cls(CourseFiles.of(course), name, level, course.digest(name), grader_digest(), diagnose)

    def grader(self) -> Grader:
        """A grader of this job; its files are on this machine's disk only while the grader is made."""
        with tempfile.TemporaryDirectory(prefix="autograder-") as folder:  # readable by this user alone
            course = load_course(self.files.unpack(Path(folder)))
            grader = Grader(course, self.name, level=self.level, diagnose=self.diagnose)
            grader.prove()
            grader.read_all()
        return grader

    def made_from(self, item: Work) -> str:
        """SHA-256 (hex) over all that the item's grade depends on: what is equal need not be graded again."""
        if isinstance(item, Refusal):
            handed_in = ["", "", item.reason]
        else:
            handed_in = [item.source.digest, item.source.kind, *item.notes]
        parts = [self.course_digest, self.grader_digest, self.name, self.level, self.diagnose, handed_in]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
