"""What students hand in -> a student id and bytes. Nothing here runs, compiles or trusts a submission.

The class list is in `roster`. What a single `.py` does not need (layouts, archives, notebooks) is imported
where it is used: this room is on the way of every start.
"""

from .find import LAYOUTS, find_submissions, read_file, stream_submissions
from .model import Refusal, Source, Submission, SubmissionError

__all__ = [
    "LAYOUTS",
    "Refusal",
    "Source",
    "Submission",
    "SubmissionError",
    "find_submissions",
    "read_file",
    "stream_submissions",
]
