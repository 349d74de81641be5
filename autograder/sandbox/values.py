"""What crosses the wire besides Python's own values and NumPy's arrays. It also runs inside workers."""

from dataclasses import dataclass


@dataclass(slots=True)  # not frozen, which makes it five times as slow: a frame has hundreds
class Ref:
    """Names the result of an earlier operation of the same frame."""

    index: int


@dataclass(frozen=True)
class Described:
    """A value that does not cross: what it is, in words of NumPy and Python only."""

    kind: str  # type name, such as "matrix"
    dtype: str = ""
    shape: tuple[int, ...] = ()


@dataclass(frozen=True)
class Raised:
    """An operation that ended in an exception, in the student's code or for want of something in it."""

    kind: str  # "raised", "missing", "import", "memory", "unsettable", "syntax", "shape"
    name: str  # exception type, or the attribute, class or module that was wanted
    message: str = ""
    lines: tuple[int, ...] = ()  # 1-based lines of the submission, outermost call first


@dataclass(frozen=True)
class NotRun:
    """An operation behind one that raised."""


NOT_RUN = NotRun()
