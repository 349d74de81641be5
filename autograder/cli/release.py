"""`autograder release`: what a platform needs, in a folder or a zip."""

from __future__ import annotations

from pathlib import Path

import click

from autograder.cli.options import assignment_name, course_option, find_course
from autograder.exports.gradescope import VISIBILITIES

PLATFORMS = ("github", "classroom50", "grading-repo", "nbgrader", "otter", "gradescope")


@click.command()
@click.argument("target", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--for", "platform", type=click.Choice(PLATFORMS), required=True)
@click.option("--assignment", help="Which table of grading.toml; needed only if there are several.")
@click.option(
    "--visibility",
    type=click.Choice(VISIBILITIES),
    default="visible",
    show_default=True,
    help="gradescope: when students see the checks.",
)
@click.option("--leaderboard", is_flag=True, help="gradescope: show scores to the whole class.")
@course_option
def command(
    target: Path,
    platform: str,
    assignment: str | None,
    visibility: str,
    leaderboard: bool,
    course_path: Path | None,
) -> None:
    """Make DIR for a platform; for gradescope DIR is the zip.

    Example: autograder release --for github student-repository
    """
    from autograder.release import github
    from autograder.release.gradescope import autograder
    from autograder.release.nbgrader import course_folder
    from autograder.release.otter import folder
    from autograder.release.writing import write_folder, write_zip

    path, course = find_course(course_path)
    name = assignment_name(course, assignment)
    if platform == "gradescope":
        files = autograder(course, name, visibility=visibility, leaderboard=leaderboard)
        write_zip(files, target)
    elif platform == "nbgrader":
        files = course_folder(course, name, path.resolve())
        write_folder(files, target)
    else:
        make = {
            "github": github.student_repository,
            "classroom50": github.classroom50,
            "grading-repo": github.grading_repository,
            "otter": folder,
        }[platform]
        files = make(course, name)
        write_folder(files, target)
    click.echo(f"{len(files)} files for {platform} written to {target}")
