"""Collects the students' repositories of roster.csv as they were pushed at the deadline.

python3 collect.py ASSIGNMENT DEADLINE

Writes submissions/<assignment>-<student>/ and commits.json. A commit's own date is whatever its author
says; the time of a push is GitHub's, so that is the one that counts. Needs git, gh and GH_TOKEN.
"""

import csv
import json
import re
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
STUDENT = re.compile(r"\w[\w.@+-]*")
CAREFUL = [
    "git", "-c", "core.hooksPath=/dev/null", "-c", "core.symlinks=false", "-c", "core.fsmonitor=false",
    "-c", "credential.helper=!gh auth git-credential", "-c", "advice.detachedHead=false",
]  # fmt: skip


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def last_push(repository, deadline):
    """The commit that the default branch had at the deadline, None when there was none."""
    branch = json.loads(run("gh", "api", f"repos/{repository}"))["default_branch"]
    ref = quote(f"refs/heads/{branch}", safe="")
    pages = json.loads(
        run("gh", "api", "--paginate", "--slurp", f"repos/{repository}/activity?ref={ref}&per_page=100")
    )
    pushes = [push for page in pages for push in page if moment(push["timestamp"]) <= deadline]
    newest = max(pushes, key=lambda push: moment(push["timestamp"]), default=None)
    return newest["after"] if newest and set(newest["after"]) != {"0"} else None


def fetch(repository, commit, folder, host):
    """The files of one commit, and nothing that git would obey."""
    folder.mkdir(parents=True)
    run(*CAREFUL, "init", "--quiet", str(folder))
    run(
        *CAREFUL,
        "-C",
        str(folder),
        "fetch",
        "--quiet",
        "--depth=1",
        "--no-tags",
        f"{host}/{repository}",
        commit,
    )
    run(*CAREFUL, "-C", str(folder), "checkout", "--quiet", "FETCH_HEAD")
    for path in sorted((folder / ".git").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (folder / ".git").rmdir()


def main(assignment, deadline, host="https://github.com"):
    due, commits, problems = moment(deadline), {}, 0
    if due.tzinfo is None:
        sys.exit(f"{deadline}: expected a time with its zone, such as 2026-12-01T23:59:00Z")
    with open("roster.csv", encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        student, repository = row["student"].strip(), row["repository"].strip()
        if not STUDENT.fullmatch(student) or not REPOSITORY.fullmatch(repository):
            sys.exit(f"roster.csv: {student!r}, {repository!r}: expected a student's id and owner/repository")
        try:
            commit = last_push(repository, due)
            if commit:
                fetch(repository, commit, Path("submissions", f"{assignment}-{student}"), host)
                commits[student] = {"repository": repository, "commit": commit}
                print(f"{student}: {commit}")
            else:
                print(f"{student}: nothing pushed by {deadline}")
        except subprocess.CalledProcessError as error:
            problems += 1
            print(f"{student}: {repository} could not be read, exit code {error.returncode}", file=sys.stderr)
    Path("commits.json").write_text(json.dumps(commits, indent=1) + "\n", encoding="utf-8")
    print(f"{len(commits)} of {len(rows)} collected, {problems} could not be read")
    return 1 if rows and problems == len(rows) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
