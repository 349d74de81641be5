"""Grades the grader: no wrong layer may pass, and no correct one may fail."""

from .model import Audit
from .run import Options, audit

__all__ = ["Audit", "Options", "audit"]
