"""The one error of an export."""


class ExportError(ValueError):
    """Grades cannot be written so; the message says what was given and what was expected."""
