"""An open gradebook file: its connection, its transactions, and its errors as sentences."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from autograder.gradebook.errors import GradebookError, explained
from autograder.gradebook.schema import migrate

_WAIT = 30.0  # seconds for another process to finish its transaction


class Database:
    """A gradebook file, brought to the newest version; a context manager."""

    def __init__(self, path: Path | str):
        self.path = Path(path)
        with self._errors():
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise GradebookError(f"{self.path.parent}: cannot be made ({error.strerror})") from None
            self._db = sqlite3.connect(self.path, timeout=_WAIT, isolation_level=None)
            try:
                # A damaged letter is a damaged grade, not the end of reading.
                self._db.text_factory = lambda raw: raw.decode(errors="replace")
                migrate(self._db, self.path)  # first: nothing is written to another program's file
                self._to_wal()
                # After a power cut the newest grades may be missing, never more: a rerun makes them.
                self._db.execute("PRAGMA synchronous = NORMAL")
                self._db.execute("PRAGMA cache_size = -256")  # KiB: the system keeps the pages anyway
            except BaseException:
                self._db.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()

    def _to_wal(self) -> None:
        try:
            self._db.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            # SQLite waits for nobody here. Who holds the file is switching it, and either mode is safe.
            if not error.sqlite_errorname.startswith("SQLITE_BUSY"):
                raise

    def _one(self, sql: str, *values: Any) -> Any:
        return self._db.execute(sql, values).fetchone()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._errors():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")

    @contextmanager
    def _lasting(self) -> Iterator[None]:
        """What is written here is on the disk when it ends: for what no rerun makes anew."""
        with self._errors():
            self._db.execute("PRAGMA synchronous = FULL")
            try:
                yield
            finally:
                self._db.execute("PRAGMA synchronous = NORMAL")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise explained(self.path, error) from error
