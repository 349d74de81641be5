"""An audit as lines for a terminal."""

from __future__ import annotations

import textwrap

from .model import Audit, Mistakes, Mutants, Reference


def lines(audit: Audit, decades: float, width: int) -> list[str]:
    """Plain lines of at most `width` characters, but for statements and diffs."""
    out: list[str] = []
    if audit.reference is not None:
        out += _reference(audit.reference)
    if audit.stub is not None:
        out.append(f"stub        {audit.stub:g} points")
    if audit.styles is not None:
        out.append(f"styles      {audit.styles.accepted} of {audit.styles.total} accepted")
    if audit.mistakes is not None:
        out += _mistakes(audit.mistakes, width)
    if audit.mutants is not None:
        out += _mutants(audit.mutants)
    if audit.margin is not None:
        m = audit.margin
        out.append(
            f"margin      worst correct {m.worst_correct:.1e} ({m.worst_layer}), threshold {m.threshold:.0e}"
        )
        if m.smallest_wrong is not None:
            out.append(f"            smallest wrong {m.smallest_wrong:.1e} ({m.smallest_layer})")
            out.append(f"            {m.decades} decades between them")
    if audit.mistakes is not None and audit.mutants is not None:
        out.append(
            f"lesson      its three tests alone would pass {audit.mistakes.lesson} of {audit.mistakes.total} "
            f"mistakes and {audit.mutants.lesson} of {audit.mutants.killed} killed mutants"
        )
    findings = audit.findings(decades)
    out.append(f"findings    {len(findings) or 'none'}")
    for finding in findings:
        out += textwrap.wrap(
            finding, width, initial_indent="- ", subsequent_indent="  ", break_long_words=False
        )
    return out


def _reference(found: Reference) -> list[str]:
    out = [
        f"reference   {found.score:g} of {found.max_score:g} points; all checks together take "
        f"{found.forwards} forwards and {found.backwards} backwards",
        f"            {found.runs} seeded runs of correct layers at as many shapes: "
        f"{len(found.false_fails)} false fails",
    ]
    if found.runs:
        worst = f"{found.worst:.1e} ({found.worst_layer})"
        out.append(f"            worst relative error of a gradient in them {worst}")
    return out


def _mistakes(found: Mistakes, width: int) -> list[str]:
    out = [
        f"mistakes    {found.killed} of {found.total} lose points, "
        f"{found.total - len(found.wrong)} of them in the check that they name"
    ]
    for check, count in found.by_check.items():
        only = found.only.get(check, [])
        out.append(f"            {check}: {count} lose points here, {len(only)} nowhere else")
        if only:
            out += textwrap.wrap(
                ", ".join(only), width, initial_indent=" " * 14, subsequent_indent=" " * 14,
                break_on_hyphens=False,
            )  # fmt: skip
    return out


def _mutants(found: Mutants) -> list[str]:
    out = [
        f"mutants     {found.generated} generated: {found.killed} killed, {found.same} the same to the bit, "
        f"{found.listed} listed as equivalent, {len(found.survivors)} survive"
    ]
    for survivor in found.survivors:
        out += [f"            {survivor.kind}, in {survivor.method}", *survivor.diff.splitlines()[2:]]
    return out
