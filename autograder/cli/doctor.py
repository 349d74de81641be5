"""`autograder doctor`."""

from __future__ import annotations

import click

from autograder.sandbox.levels import LEVELS
from autograder.sandbox.pool import IsolationError, Zygote, ZygoteFault


@click.command()
def command() -> None:
    """Prove each isolation level in a worker and say what holds.

    Example: autograder doctor
    """
    best = None
    for name in ("L1", "L2", "L3"):
        try:
            with Zygote(name) as zygote:
                worker = zygote.worker()
                proofs = worker.proofs
                worker.close()
        except (IsolationError, ZygoteFault) as error:
            click.echo(f"{name} {LEVELS[name].title}: does not hold: {error}")
            click.echo(f"    to have it: {LEVELS[name].needs}")
            continue
        best = name
        click.echo(f"{name} {LEVELS[name].title}: holds ({LEVELS[name].made_of})")
        for proof in proofs:
            click.echo(f"    {proof.item:<32} {proof.detail}".rstrip())
    if best is None:
        click.echo("no level holds; nothing can be graded here", err=True)
        raise click.exceptions.Exit(3)
    click.echo(f"in force: {best}. {LEVELS[best].worth}")
