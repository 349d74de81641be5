"""Chunks on executors that lose them: every item comes once, with the grade of an undisturbed run."""

import hashlib
import os
import re
import shutil
import sys
import tempfile
import time
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.batch import Engine, Job, NoWorkers, Shard, Spool, grade_all, here, processes, worker
from autograder.batch.run import AHEAD, chunk_size
from autograder.course import load_course
from autograder.course.mistakes import load_mistakes
from autograder.grade.model import CheckGrade, Digests, Evidence, Flag, Grade, Isolation
from autograder.results import Results
from autograder.sandbox.pool import IsolationError, ZygoteFault
from autograder.submission import Refusal, Source, Submission, stream_submissions

ROOT = Path(__file__).parents[1]
COURSE = load_course(ROOT)
NAME = "self_attention"
MISTAKE = "backward-scale-missing"


def item(number):
    data = b"# %d\n" % number
    return Submission(f"s{number:03}", Source((data,), "py", hashlib.sha256(data).hexdigest()), Path("x.py"))


class FakeGrader:
    """Grades without a worker. `breaks`: student -> how often grading it raises or loses something."""

    def __init__(self, raises=None, loses=None):
        self.raises, self.loses = dict(raises or {}), dict(loses or {})
        self.losses = self.restarts = 0
        self.seen = []

    def restart(self):
        self.restarts += 1

    def grade(self, item):
        self.seen.append(item.student)
        if self.raises.get(item.student, 0):
            self.raises[item.student] -= 1
            raise ZygoteFault("gone")
        lost = self.loses.get(item.student, 0)
        if lost:
            self.loses[item.student] -= 1
            self.losses += 1
        verdict = "crash" if lost else "passed"
        points = 0.0 if verdict == "crash" or isinstance(item, Refusal) else 10.0
        evidence = (Evidence(part="p", verdict=verdict, points=points, max_points=10.0),)
        check = CheckGrade(
            id="c", title="t", verdict=verdict, points=points, max_points=10.0, evidence=evidence
        )
        refused = isinstance(item, Refusal)
        return Grade(
            student=item.student,
            assignment=NAME,
            score=points,
            max_score=10.0,
            checks=(check,),
            isolation=Isolation(level="L3", detail=""),
            flags=(Flag(kind="unreadable", detail=item.reason),) if refused else (),
            digests=Digests(submission="" if refused else item.source.digest, course="", grader=""),
        )


JOB = Job.of(COURSE, NAME, "L3")


@pytest.fixture
def grader(monkeypatch):
    """One fake grader for whatever thread grades."""
    fake = FakeGrader()
    monkeypatch.setattr(worker, "_grader", lambda job: fake)
    return fake


class Flaky(Executor):
    """Runs at once; breaks at the given submissions of chunks, counted over all executors of one engine."""

    def __init__(self, state, breaks, poison=()):
        self.state, self.breaks, self.poison = state, breaks, poison
        self.broken = False

    def submit(self, fn, /, job, items, *rest):
        self.state["calls"] += 1
        if self.broken:
            raise BrokenExecutor("broken before")
        future = Future()
        listed = items if isinstance(items, list) else []  # a fault's item comes alone
        if self.state["calls"] in self.breaks or any(i.student in self.poison for i in listed):
            self.broken = True
            future.set_exception(BrokenExecutor("a process ended"))
        else:
            future.set_result(fn(job, items, *rest))
        return future


def flaky(breaks, poison=()):
    state = {"calls": 0}
    return Engine(lambda count: Flaky(state, breaks, poison), 3)


def collected(engine, count=40, chunk=4):
    found = list(grade_all(JOB, [item(n) for n in range(count)], engine, chunk))
    assert all(one.student == grade.student for one, grade in found)
    return sorted((grade.student, grade.score) for _, grade in found)


ALL = [(f"s{n:03}", 10.0) for n in range(40)]


@pytest.mark.parametrize("chunk", [1, 4, 100])
def test_any_executor(grader, chunk):
    assert collected(here(), chunk=chunk) == ALL
    assert collected(Engine(lambda count: ThreadPoolExecutor(count), 3), chunk=chunk) == ALL


@pytest.mark.parametrize("breaks", [{1}, {2}, {5, 9}, {10}, {1, 2, 3}, {3, 4, 11, 12, 20}])
def test_a_lost_worker_costs_nothing_and_nothing_comes_twice(grader, breaks):
    assert collected(flaky(breaks)) == ALL


def test_an_item_that_ends_every_worker_is_said_to_and_stops_nobody(grader):
    found = dict(collected(flaky(set(), poison={"s007"})))
    assert found == {**dict(ALL), "s007": 0.0}
    grades = {g.student: g for _, g in grade_all(JOB, [item(7)], flaky(set(), poison={"s007"}), 4)}
    (flag,) = grades["s007"].flags
    assert (flag.kind, flag.detail) == (
        "grader-fault", "the grader failed: the process that graded it ended 3 times",
    )  # fmt: skip
    assert worker.faulty(grades["s007"])


def test_workers_that_all_end_stop_the_run_with_a_sentence(grader):
    always = Engine(lambda count: Flaky({"calls": 0}, {1}), 3)
    found = grade_all(JOB, [item(n) for n in range(5)], always, 2)
    with pytest.raises(NoWorkers, match="7 workers in a row ended before they answered"):
        list(found)


def test_work_is_drawn_only_as_it_is_graded(grader):
    """Bounded memory: at most AHEAD chunks a worker are out."""
    drawn = []

    def work():
        for number in range(1000):
            drawn.append(number)
            yield item(number)

    engine = Engine(lambda count: ThreadPoolExecutor(count), 2)
    for count, _ in enumerate(grade_all(JOB, work(), engine, 5), 1):
        assert len(drawn) <= count + 5 * (AHEAD * engine.workers + 1)
    assert count == 1000


def test_what_stops_the_batch_is_raised(monkeypatch):
    def grader(job):
        raise IsolationError("no Landlock")

    monkeypatch.setattr(worker, "_grader", grader)
    with pytest.raises(IsolationError, match="no Landlock"):
        list(grade_all(JOB, [item(0)], here()))


def test_a_fault_of_ours_is_tried_again_then_said():
    fake = FakeGrader(raises={"s000": 2})
    assert (worker.graded(fake, item(0)).score, fake.restarts) == (10.0, 2)
    fake = FakeGrader(raises={"s000": worker.TRIES})
    grade = worker.graded(fake, item(0))
    assert grade.checks[0].verdict == "grader-fault"
    assert grade.flags[0].detail == "the grader failed: ZygoteFault: gone"
    assert grade.digests.submission == item(0).source.digest


def test_the_next_grade_takes_the_place_of_a_fault(tmp_path):
    fake = FakeGrader(raises={"s000": worker.TRIES})
    with Results(tmp_path, COURSE.assignments[NAME], print) as results:
        for made_from in ("", JOB.made_from(item(0))):
            results.put(worker.graded(fake, item(0)), item(0), made_from)
        assert [(a.number, a.score) for a in results.book.attempts("s000", NAME)] == [(1, 10.0)]
        assert not worker.faulty(next(results.grades()))


@pytest.mark.parametrize(("loses", "score", "runs"), [(0, 10.0, 1), (1, 10.0, 2), (2, 0.0, 2), (9, 0.0, 2)])
def test_a_worker_lost_once_may_be_somebody_elses_doing(loses, score, runs):
    """One loss is not the submission's; the same loss twice is."""
    fake = FakeGrader(loses={"s000": loses})
    assert worker.graded(fake, item(0)).score == score
    assert len(fake.seen) == runs


def test_tries_of_which_no_two_agree_give_no_grade():
    class Changing(FakeGrader):
        def grade(self, item):
            return super().grade(item).model_copy(update={"score": float(len(self.seen))})

    found = worker.graded(Changing(loses={"s000": 9}), item(0))
    assert worker.faulty(found)
    assert found.flags[0].detail == (
        "the grader failed: workers ended before they answered, in 3 tries with other results"
    )


def test_an_interrupted_run_waits_for_nobody():
    """A worker that would sleep for an hour is ended, not awaited; of what waits behind it no thread dies."""
    with pytest.raises(KeyboardInterrupt), processes(1).start(1) as executor:
        futures = [executor.submit(time.sleep, 3600) for _ in range(5)]
        while not futures[0].running():
            pass
        for future in futures:
            future.cancel()
        raise KeyboardInterrupt
    assert all(isinstance(future.exception(), BrokenExecutor) for future in futures)


def test_a_pool_knows_its_processes_before_one_can_be_lost():
    with processes(2).start(2) as executor:
        asleep = executor.submit(time.sleep, 3600)
        assert len(executor._processes) == 2
        lost = executor.submit(os._exit, 1)
        assert isinstance(lost.exception(), BrokenExecutor)
    assert isinstance(asleep.exception(), BrokenExecutor)


def test_a_grader_is_made_of_the_course_as_it_was(tmp_path, monkeypatch):
    """Whatever becomes of its files, and on a machine that never had them; it writes none."""
    course = tmp_path / "course"
    for part in ("solutions", "assignments"):
        shutil.copytree(ROOT / part, course / part)
    shutil.copy(ROOT / "grading.toml", course)
    before = load_course(course)
    job = Job.of(before, NAME, "L3" if sys.platform == "linux" else "L1")
    before.mistakes_path(NAME).write_text("# none\n")
    assert before.digest(NAME) != job.course_digest
    shutil.rmtree(course)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    reference = COURSE.solution_path(NAME).read_text()
    (mistake,) = (m for m in load_mistakes(COURSE.mistakes_path(NAME), reference) if m.name == MISTAKE)
    source = Source((mistake.apply(reference).encode(),), "py", "")
    with job.grader() as grader:
        assert grader.course_digest == job.course_digest == COURSE.digest(NAME)
        grade = grader.grade(Submission("ada", source, Path("x.py")))
    assert any(check.diagnosis and check.diagnosis.mistakes == ((MISTAKE,),) for check in grade.checks)
    assert list(tmp_path.iterdir()) == []


def test_a_students_attempts_stay_together_and_in_order(grader):
    work = [item(0), *(replace(item(n), student="again") for n in range(1, 6)), item(6), item(7)]
    engine = Engine(lambda count: ThreadPoolExecutor(count), 3)
    found = [one.source.digest for one, _ in grade_all(JOB, work, engine, 2) if one.student == "again"]
    assert found == [one.source.digest for one in work[1:6]]


def test_every_attempt_comes_where_the_layout_tells_them_apart(tmp_path):
    for name, text in (
        ("May 9, 2026 1159 PM", "1"),
        ("May 18, 2026 930 AM", "22"),
        ("May 18, 2026 1224 PM", "333"),
    ):
        path = tmp_path / f"152711-9 - Jane Roe - {name}" / f"{NAME}.py"
        path.parent.mkdir()
        path.write_text(text)
    every = list(stream_submissions([tmp_path], assignment=NAME, every_attempt=True))
    assert [one.source.chunks for one in every] == [(b"1",), (b"22",), (b"333",)]
    assert [one.submitted_at.day for one in every] == [9, 18, 18]
    assert {(one.student, one.notes) for one in every} == {("152711", ())}
    (last,) = stream_submissions([tmp_path], assignment=NAME)
    assert last == every[-1] and last.attempt == 3
    assert JOB.made_from(last) == JOB.made_from(every[-1])
    (tmp_path / "152711-9 - Jane Roe - gestern").mkdir()
    (tmp_path / "152711-9 - Jane Roe - gestern" / f"{NAME}.py").write_text("4")
    for each in (True, False):  # which came last is a guess
        (last,) = stream_submissions([tmp_path], assignment=NAME, every_attempt=each)
        assert last.notes[0].startswith("earlier attempts, not graded: 152711-9 - Jane Roe - ")


def test_chunks_end_evenly():
    assert [chunk_size(count, 2) for count in (1, 7, 16, 80, 200, 10_000)] == [1, 1, 2, 10, 25, 25]
    assert chunk_size(10_000, 1) == 1


def test_shards_are_a_partition():
    students = [f"student {number}" for number in range(2000)] + ["木", "\udcff"]
    parts = [[s for s in students if Shard(i, 7).has(s)] for i in range(1, 8)]
    assert sorted(s for part in parts for s in part) == sorted(students)
    assert all(2002 / 7 * 0.8 < len(part) < 2002 / 7 * 1.2 for part in parts)
    assert all(Shard.parse("1/1").has(s) for s in students)


@pytest.mark.parametrize("text", ["", "1", "0/4", "5/4", "a/b", "1/0", "-1/4", "1/4/8", "²/4"])
def test_a_shard_that_is_none(text):
    with pytest.raises(ValueError, match=re.escape(repr(text)) + " is no shard; expected i/n"):
        Shard.parse(text)


def test_a_spool_gives_back_what_was_put():
    spool = Spool()
    work = [item(1), Refusal("zoë", Path("a"), "is empty."), item(2)]
    for one in work:
        spool.put(one)
    assert (spool.count, list(spool), list(spool)) == (3, work, work)


def test_what_a_grade_is_made_from():
    """Everything that it depends on changes the digest; where a file lies and when it came does not."""
    one = item(1)
    made = JOB.made_from(one)
    assert JOB.made_from(replace(one, path=Path("y.py"), email="a@b", attempt=3)) == made
    refusal = Refusal("s001", Path("x"), "is empty.")
    others = [
        replace(JOB, level="L2").made_from(one),
        replace(JOB, diagnose=False).made_from(one),
        replace(JOB, course_digest="0").made_from(one),
        replace(JOB, grader_digest="0").made_from(one),
        JOB.made_from(item(2)),
        JOB.made_from(replace(one, notes=("seen",))),
        JOB.made_from(replace(one, source=replace(one.source, kind="ipynb"))),
        JOB.made_from(refusal),
        JOB.made_from(replace(refusal, reason="is too large.")),
    ]
    assert len({made, *others}) == 10


def test_a_course_goes_as_data():
    course = JOB.course
    assert (course.root, course.source) == (COURSE.root, COURSE.source)
    folders = {"solutions": (f"{NAME}.py", "mistakes.toml"), "assignments": ("fingerprints.json",)}
    paths = [ROOT / folder / NAME / file for folder, files in folders.items() for file in files]
    assert course.files == {path: path.read_bytes() for path in paths}
    with pytest.raises(FileNotFoundError, match="equivalents"):
        course.read(course.solution_path(NAME).with_name("equivalents.toml"))


def test_a_course_whose_solutions_lie_elsewhere_goes_too(tmp_path):
    course = tmp_path / "public" / "course"
    secret = tmp_path / "private" / NAME
    for folder in (course, secret):
        folder.mkdir(parents=True)
    for file in (ROOT / "solutions" / NAME).glob("*.*"):
        (secret / file.name).write_bytes(file.read_bytes())
    text = (ROOT / "grading.toml").read_text()
    (course / "grading.toml").write_text(
        text.replace('solutions = "solutions"', 'solutions = "../../private"')
    )
    loaded = load_course(course)
    digest = loaded.digest(NAME)
    job = Job.of(loaded, NAME, "L3")
    shutil.rmtree(tmp_path)
    assert job.course.digest(NAME) == digest
