"""grading.toml as typed objects. Keys and values are those of the file; see its comments for reasons."""

import errno
import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, Field, StringConstraints

from autograder.course.specs import Checks
from autograder.course.types import Dims, Identifier, Identifiers, Names, Part, Positive, Size, Table, Text

TaskId = Annotated[str, StringConstraints(pattern=r"^\d+(\.\d+)*$")]


class CourseTable(Table):
    """[course]"""

    name: Text = Field(description="the name of the course")
    solutions: Text = Field("solutions", description="the folder of the references, beside grading.toml")
    assignments: Text = Field("assignments", description="the folder of what students receive")


class Limits(Table):
    """[limits] of one submission's process."""

    load_seconds: Positive = Field(description="seconds for running the file once")
    call_seconds: Positive = Field(description="seconds for one frame of calls")
    # Below 160 MiB of address space NumPy's BLAS may end the process by itself.
    memory_mib: Annotated[int, Field(ge=160)] = Field(description="MiB of address space of the worker")
    submission_kib: Size = Field(description="KiB that a file may have")
    stand_ins: Names = Field((), description="modules that are replaced by ones that do nothing")


class IsolationTable(Table):
    """[isolation]"""

    required: Literal["L1", "L2", "L3", "L4"] = Field(description="the level below which nothing is graded")


class DiagnosisTable(Table):
    """[diagnosis]"""

    detail: Literal["evidence", "line", "name", "hints"] = Field(description="how much a student sees")


class Tensor(Table):
    """A named array and its symbolic shape."""

    name: Identifier = Field(description="the name of the array")
    shape: Dims = Field(description="an array of symbols or sizes")


class Task(Table):
    """One thing for the student to write."""

    title: Text = Field(description="what the task is called")
    method: Identifier = Field(description="the method to write")
    hints: tuple[Text, ...] = Field((), description="hints for the student, one more each time")


class Late(Table):
    """[assignments.NAME.late]: the deadline, and what lateness costs."""

    due: AwareDatetime = Field(description="a date and time with its zone, such as 2026-03-01T23:59:00+01:00")
    grace_minutes: Part = Field(0.0, description="minutes after `due` that cost nothing")
    points_per_day: Part = Field(0.0, description="points for each day begun since `due`")
    at_most: Part | None = Field(None, description="the most points that lateness takes")
    file_times: bool = Field(
        False, description="whether a file's own time counts where the export names none"
    )


class Assignment(Table):
    """[assignments.NAME]: a layer's interface, and how it is judged."""

    name: Identifier
    title: Text = Field(description="what the assignment is called")
    class_name: Identifier = Field(alias="class", description="the class that students write")
    constructor: Identifiers = Field(min_length=1, description="the symbols that the constructor takes")
    seed_argument: Identifier | None = Field(None, description="the constructor's argument for a seed")
    input: Tensor = Field(description="the name and shape of what forward takes")
    output: Tensor = Field(description="the name and shape of what forward returns")
    parameters: dict[Identifier, Dims] = Field(
        min_length=1, description="a table from each parameter to its shape"
    )
    gradients: dict[Identifier, Identifier] = Field(
        default_factory=dict, description="a table from each parameter to its gradient's attribute"
    )
    input_gradient: Identifier | None = Field(None, description="a name for what backward returns")
    cache: dict[Identifier, Dims] = Field(
        default_factory=dict, description="a table from each entry of the cache, in order, to its shape"
    )
    distributions: Identifiers = Field((), description="cache entries whose last axis sums to 1")
    points: Positive = Field(description="what the assignment is worth, the sum of its checks")
    counts: Literal["latest", "best", "last-before-deadline"] = Field(
        "latest", description="which of a student's attempts counts"
    )
    late: Late | None = Field(None, description="a table with the deadline")
    tasks: dict[TaskId, Task] = Field(min_length=1, description="a table from task id to title and method")
    shapes: dict[Text, dict[Identifier, Size]] = Field(
        min_length=1, description="a table from each shape's name to the sizes of all symbols"
    )
    checks: Checks = Field(description="at least one table of a check")

    def sizes(self, shape: str) -> dict[str, int]:
        """The size of every symbol at a named shape. Raises KeyError for a name that is not in `shapes`."""
        return dict(self.shapes[shape])

    def public_case(self) -> tuple[str, int]:
        """Name of the shape, and the seed, of the inputs that students know."""
        spec = next(iter(self.checks.present.values()))
        shapes: tuple[str, ...] = getattr(spec, "shapes", ())
        return getattr(spec, "shape", None) or shapes[0], spec.seed

    def resolve(self, dims: Iterable[str | int], sizes: Mapping[str, int]) -> tuple[int, ...]:
        """Symbolic axes in numbers: `["B", "T", 3]` at `{B = 2, T = 5}` is `(2, 5, 3)`."""
        return tuple(dim if isinstance(dim, int) else sizes[dim] for dim in dims)


class Course(Table):
    """A whole grading.toml, and where it lies."""

    root: Path  # the folder of grading.toml
    source: bytes = Field(repr=False)  # grading.toml as it was read
    # What the paths below hold: what is in here alone, and where there is None, what lies on the disk.
    files: dict[Path, bytes] | None = Field(None, repr=False)
    course: CourseTable = Field(description="a table with the course's name")
    limits: Limits = Field(description="a table of limits")
    isolation: IsolationTable = Field(description="a table with the required level")
    diagnosis: DiagnosisTable = Field(description="a table with the detail that students see")
    assignments: dict[Identifier, Assignment] = Field(min_length=1, description="a table for each assignment")

    def solution_path(self, name: str) -> Path:
        """The reference of an assignment, the one place where its layer is written."""
        return self.root / self.course.solutions / name / f"{name}.py"

    def mistakes_path(self, name: str) -> Path:
        """The known mistakes of an assignment; the file may not exist yet."""
        return self.solution_path(name).with_name("mistakes.toml")

    def has(self, path: Path) -> bool:
        return path.is_file() if self.files is None else path in self.files

    def read(self, path: Path) -> bytes:
        """Raises OSError, FileNotFoundError where there is no such file."""
        if self.files is None:
            return path.read_bytes()
        if path not in self.files:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        return self.files[path]

    def holding(self, paths: Iterable[Path]) -> "Course":
        """This course with what these hold now: nothing on the disk is read again. Raises OSError."""
        return self.model_copy(update={"files": {path: self.read(path) for path in paths if self.has(path)}})

    def digest(self, name: str) -> str:
        """SHA-256 (hex) over what grades are made from: limits, the assignment, its reference and mistakes.

        Not over other assignments, nor over what is decided when grades are read: the deadline, which
        attempt counts, how much a student sees. Reads the two files. Raises OSError when the
        reference cannot be read.
        """
        table = self.assignments[name].model_dump_json(exclude={"counts", "late"})
        mistakes = self.mistakes_path(name)
        known = self.read(mistakes) if self.has(mistakes) else b""
        total = hashlib.sha256()
        policy = f"{self.limits.model_dump_json()}\n{table}".encode()
        for part in (policy, self.read(self.solution_path(name)), known):
            total.update(hashlib.sha256(part).digest())  # of equal length, so no byte can change sides
        return total.hexdigest()


# What the loader sets and the file may not.
FILLED_IN: dict[type[BaseModel], tuple[str, ...]] = {
    Course: ("root", "source", "files"),
    Assignment: ("name",),
}
