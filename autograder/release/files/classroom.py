"""The public checks for GitHub: a payload for Classroom's reporter, annotations, a summary of the job.

python classroom.py          as a step of a workflow: writes the step's output, summary and annotations
python classroom.py --json   prints the payload and nothing else

It needs NumPy and the files beside it. One point a check, so that the two totals that the reporter
prints agree. What runs in a student's repository can be changed by the student: this is feedback, no mark.
"""

import base64
import json
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from loop.facts import load_facts
from loop.results import Run, line_of

ANNOTATIONS = 10  # of one kind, a step; GitHub drops the rest
LONGEST = 1000  # characters of one message
NOTE = "These are the public checks, as the repository has them. The mark comes from your course's own run."


def plain(text):
    """One line that no log obeys: control characters gone, workflow commands taken apart."""
    text = "".join(c if c.isprintable() else " " for c in str(text))[:LONGEST]
    while "::" in text:
        text = text.replace("::", ": :")
    return re.sub(r"##(?=\w*\[)", "## ", text)


def tests_of(results, facts):
    """The reporter's tests: one for each function of the public tests, failed if any of its cases is."""
    groups = {}
    for check in results.checks:
        groups.setdefault(check.name.partition("[")[0], []).append(check)
    return [_test(name, checks, facts) for name, checks in groups.items()]


def _test(name, checks, facts):
    wrong = [check for check in checks if check.verdict != "passed"]
    message = plain(wrong[0].message) if wrong else ""
    at = re.search(r"\bat line (\d+)\b", message)
    line = 0
    if wrong:
        line = int(at[1]) if at else line_of(facts, checks[0].task) if checks[0].task else 0
    return {
        "name": plain(name.removeprefix("test_").replace("_", " ")),
        "status": "fail" if wrong else "pass",
        "score": 0 if wrong else 1,
        "message": message,
        "test_code": "",
        "filename": facts["file"],
        "line_no": line,
        "duration": 0,
    }


def payload(results, facts):
    """What the reporter reads. It takes no empty list, so what could not start is one failed test."""
    if results.problem:
        tests = [{
            "name": "the public checks start", "status": "error", "score": 0,
            "message": plain(results.problem.splitlines()[-1]), "test_code": "", "filename": facts["file"],
            "line_no": 0, "duration": 0,
        }]  # fmt: skip
    else:
        tests = tests_of(results, facts)
    statuses = {test["status"] for test in tests}
    status = "error" if "error" in statuses else "fail" if "fail" in statuses else "pass"
    return {"version": 1, "status": status, "max_score": len(tests), "tests": tests}


def annotations(made):
    """A line of the workflow's own language for each failed test, at the student's line."""
    failed = [test for test in made["tests"] if test["status"] != "pass"]
    shown = {test["message"]: test for test in reversed(failed)}  # what waits for one task is said once
    for test in [test for test in failed if shown[test["message"]] is test][:ANNOTATIONS]:
        title = _escaped(test["name"]).replace(":", "%3A").replace(",", "%2C")
        place = f"file={test['filename']},line={max(test['line_no'], 1)}"
        yield f"::error {place},title={title}::{_escaped(test['message'])}"


def _escaped(text):
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def summary(made):
    """Markdown for the page of the job."""
    passed = sum(test["score"] for test in made["tests"])
    lines = [
        f"### Public checks: {passed} of {made['max_score']} pass",
        "",
        NOTE,
        "",
        "| check | | |",
        "|---|---|---|",
    ]
    for test in made["tests"]:
        message = re.sub(r"([\\`*_{}\[\]<>|@#$&!~])", r"\\\1", test["message"])
        lines.append(f"| {test['name']} | {test['status']} | {message} |")
    return "\n".join(lines) + "\n"


def main(arguments):
    facts = load_facts()
    files = {name: os.environ.get(name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for name in [name for name in os.environ if name.startswith(("GITHUB_", "ACTIONS_", "RUNNER_"))]:
        del os.environ[name]  # the checks run the student's code: it need not know where these are
    made = payload(Run(facts).finish(), facts)
    if arguments == ["--json"]:
        print(json.dumps(made, indent=1))
        return 0
    for line in annotations(made):
        print(line)
    passed = sum(test["score"] for test in made["tests"])
    print(f"{passed} of {made['max_score']} public checks pass")
    if files["GITHUB_OUTPUT"]:
        text = base64.b64encode(json.dumps(made).encode()).decode()
        with open(files["GITHUB_OUTPUT"], "a", encoding="utf-8") as file:
            file.write(f"result={text}\n")
    if files["GITHUB_STEP_SUMMARY"]:
        with open(files["GITHUB_STEP_SUMMARY"], "a", encoding="utf-8") as file:
            file.write(summary(made))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
