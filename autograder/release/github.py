"""GitHub: the student's repository, Classroom 50's bundle, and the instructor's grading repository."""

from __future__ import annotations

from autograder.course import Course
from autograder.release.sources import Files, grading_files, student_files, template

# What runs, notebooks and the loop leave behind in a student's folder.
_IGNORED = (
    b"__pycache__/", b".pytest_cache/", b".ipynb_checkpoints/", b".progress.json", b"show-*.svg", b".venv/",
)  # fmt: skip


def student_repository(course: Course, name: str) -> Files:
    """A template repository: the student's files, and a workflow that runs the public checks."""
    return student_files(course, name) | {
        "classroom.py": template("classroom.py"),
        ".github/workflows/classroom.yml": template("classroom.yml"),
        ".gitignore": b"\n".join(_IGNORED) + b"\n",
    }


def classroom50(course: Course, name: str) -> Files:
    """The folder `autograders/<assignment>/` of a Classroom 50 configuration; public checks only."""
    files = student_files(course, name)
    module = course.solution_path(name).name
    wanted = {path for path in files if path.endswith((".py", ".json"))} - {module}
    bundle = {path: files[path] for path in wanted}
    bundle |= {"autograder.py": template("classroom50.py"), "classroom.py": template("classroom.py")}
    return {f"autograders/{name}/{path}": content for path, content in sorted(bundle.items())}


def grading_repository(course: Course, name: str) -> Files:
    """A private repository that collects, grades and answers; it holds every secret of the course."""
    roster = b"student,github,repository\nada,ada-login,your-organisation/self-attention-ada-login\n"
    return grading_files(course) | {
        ".github/workflows/grade.yml": template("grade.yml", ASSIGNMENT=name),
        "collect.py": template("collect.py"),
        "publish.py": template("publish.py"),
        "roster.csv": roster,
        ".gitignore": b"__pycache__/\nsubmissions/\nresults/\n",
    }
