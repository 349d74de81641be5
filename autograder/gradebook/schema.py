"""The tables, and the way from each version of them to the next.

A migration is the statements of one version. Once released it never changes: what is new is a new entry.
"""

import sqlite3
from pathlib import Path

from autograder.gradebook.errors import GradebookError

APPLICATION_ID = 0x41475242  # "AGRB": tells a gradebook from any other SQLite file

MIGRATIONS = (
    (
        """CREATE TABLE grades (
            id INTEGER PRIMARY KEY,
            student TEXT NOT NULL,
            assignment TEXT NOT NULL,
            attempt INTEGER NOT NULL,          -- grows with each attempt; the last is the largest
            submission TEXT NOT NULL,          -- digests of what the grade was made from
            course TEXT NOT NULL,
            grader TEXT NOT NULL,
            score REAL NOT NULL,
            max_score REAL NOT NULL,
            submitted_at TEXT NOT NULL,        -- ISO 8601, see below; '' when nobody said
            path TEXT NOT NULL,                -- where the submission was found; '' when nobody said
            grade TEXT NOT NULL,               -- the JSON document
            checksum TEXT NOT NULL,            -- SHA-256 of it: a damaged row is seen
            UNIQUE (assignment, student, attempt),
            UNIQUE (assignment, student, submission, submitted_at)
        )""",
        """CREATE TABLE adjustments (
            id INTEGER PRIMARY KEY,            -- also the order in which they apply
            student TEXT NOT NULL,
            assignment TEXT NOT NULL,
            kind TEXT NOT NULL CHECK (kind IN ('add', 'set')),
            points REAL NOT NULL,
            reason TEXT NOT NULL,
            name TEXT NOT NULL,                -- who adjusted
            made_at TEXT NOT NULL              -- UTC, ISO 8601
        )""",
        "CREATE INDEX adjustments_of ON adjustments (assignment, student)",
    ),
    (
        # Digest of all that a grade was made from, the level and the order's options too; '' is made anew.
        "ALTER TABLE grades ADD made_from TEXT NOT NULL DEFAULT ''",
        """CREATE TABLE sources (
            digest TEXT PRIMARY KEY,           -- the grade's `submission`
            source BLOB NOT NULL               -- compressed: its kind and its chunks as they were graded
        )""",
    ),
    (
        "ALTER TABLE grades ADD name TEXT",  # the student's, as the platform gives them; NULL when unknown
        "ALTER TABLE grades ADD email TEXT",
        "CREATE INDEX grades_of ON grades (student, attempt)",
    ),
    (
        # When an adjustment was taken back (UTC, ISO 8601), by whom and why; '' for one that stands.
        "ALTER TABLE adjustments ADD undone_at TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE adjustments ADD undone_by TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE adjustments ADD undone_why TEXT NOT NULL DEFAULT ''",
    ),
    # A time of no known zone is kept as it was written, the same whatever the deadline. All others are in
    # UTC as before, and so are those of no zone that an earlier version read.
    (),
)


def migrate(db: sqlite3.Connection, path: Path) -> None:
    """Bring a file to the newest version, in one transaction; a new file gets its tables.

    Raises GradebookError for another program's database and for one of a newer version.
    """
    # Another process may be doing the same: one moment is read, and again once writing is ours alone.
    for begin in ("BEGIN", "BEGIN IMMEDIATE"):
        db.execute(begin)
        try:
            version = _version(db, path)
            if version == len(MIGRATIONS):
                return
            if begin == "BEGIN IMMEDIATE":
                _upgrade(db, version)
                db.execute("COMMIT")
        finally:
            if db.in_transaction:
                db.execute("ROLLBACK")


def _upgrade(db: sqlite3.Connection, version: int) -> None:
    for statements in MIGRATIONS[version:]:
        for statement in statements:
            db.execute(statement)
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")


def _version(db: sqlite3.Connection, path: Path) -> int:
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    empty = db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None
    if application != APPLICATION_ID and not (empty and application == 0):
        raise GradebookError(f"{path}: is another program's database, not a gradebook; give another path")
    if version > len(MIGRATIONS):
        raise GradebookError(
            f"{path}: was made by a newer autograder (version {version}, this one knows up to "
            f"{len(MIGRATIONS)}); update autograder"
        )
    return int(version)
