"""Many submissions: chunks on any executor, shards of a class, nothing lost with a lost process."""

from .engine import Engine, NoWorkers, here, processes
from .job import Job
from .run import grade_all
from .shard import Shard
from .spool import Spool

__all__ = ["Engine", "Job", "NoWorkers", "Shard", "Spool", "grade_all", "here", "processes"]
