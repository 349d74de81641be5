"""The example files for many machines: their syntax, and that what they call exists."""

import subprocess
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "docs" / "examples"
SLURM, KUBERNETES, GITHUB = (EXAMPLES / name for name in ("slurm.sh", "kubernetes.yaml", "github.yml"))


def load(path):
    yaml = pytest.importorskip("yaml", reason="needs PyYAML to read the examples")
    return yaml.safe_load(path.read_text())


def shell(text):
    return subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True)


def graded(text, variables):
    """The arguments of `autograder` when a shell runs `text`."""
    script = "autograder() { printf '%s\\n' \"$@\"; }\n" + text.replace("exec autograder", "autograder")
    run = subprocess.run(["bash", "-c", script], env=variables, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout.split("\n")


def test_slurm():
    assert shell(SLURM.read_text()).stderr == ""
    words = graded(
        SLURM.read_text(),
        {"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_COUNT": "8", "SLURM_CPUS_PER_TASK": "4"},
    )
    assert words[:2] == ["grade", "submissions/"]
    assert words[words.index("--shard") + 1] == "3/8"
    assert "#SBATCH --array=1-8" in SLURM.read_text()


def test_kubernetes():
    job = load(KUBERNETES)
    assert (job["apiVersion"], job["kind"], job["spec"]["completionMode"]) == ("batch/v1", "Job", "Indexed")
    pod = job["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    (script,) = container["args"]
    count = job["spec"]["completions"]
    shards = []
    for index in range(count):
        words = graded(script, {"JOB_COMPLETION_INDEX": str(index)})
        shards.append(words[words.index("--shard") + 1])
    assert shards == [f"{number}/{count}" for number in range(1, count + 1)]
    assert {mount["name"] for mount in container["volumeMounts"]} == {v["name"] for v in pod["volumes"]}


def test_github():
    jobs = load(GITHUB)["jobs"]
    shards = jobs["grade"]["strategy"]["matrix"]["shard"]
    (command,) = [
        step["run"] for step in jobs["grade"]["steps"] if "grade submissions" in step.get("run", "")
    ]
    assert shards == list(range(1, len(shards) + 1))
    assert f'--shard "${{{{ matrix.shard }}}}/{len(shards)}"' in command
    assert jobs["merge"]["needs"] == "grade"
    assert all(
        shell(step["run"]).returncode == 0 for job in jobs.values() for step in job["steps"] if "run" in step
    )
