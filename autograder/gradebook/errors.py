"""What can go wrong with a gradebook file, said with what to do about it."""

import sqlite3
from pathlib import Path


class GradebookError(Exception):
    """The gradebook cannot do what was asked; the message names the file, what is wrong and what to do."""


def explained(path: Path, error: sqlite3.Error) -> GradebookError:
    """SQLite's error as a sentence."""
    name = getattr(error, "sqlite_errorname", "") or ""
    if name.startswith("SQLITE_FULL"):
        says = "the disk is full; free some space and run again, finished grades are kept"
    elif name.startswith("SQLITE_IOERR"):
        says = f"cannot be read or written ({error}); see that its disk is there and not full, and run again"
    elif name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        says = "another program has been writing to it for too long; let that finish and run again"
    elif name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
        says = f"cannot be opened for writing ({error}); give a path that can, or mend its permissions"
    elif name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        says = (
            f"is damaged or not a gradebook ({error}); move it away and grade again, which makes all grades "
            "anew; only manual adjustments are in no other place, `sqlite3 FILE .recover` may still read them"
        )
    else:
        says = f"SQLite says: {error}"
    return GradebookError(f"{path}: {says}")
