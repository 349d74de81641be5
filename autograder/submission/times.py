"""Moments as platforms write them, in UTC where a zone is known."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo

_STAMP = re.compile(r"\s*(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,6})\d*)?\s*([\w+:/-]*)\s*")
_OFFSET = re.compile(r"[+-]\d\d:?\d\d")
_PLACE = re.compile(r"[A-Za-z_]+(/[A-Za-z_+-]+)+")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"  # four characters each
_SPOKEN = re.compile(r"([A-Za-z]+)\.? (\d{1,2}),? (\d{4}) (\d{1,2}?):?(\d{2})? ?([AP]M)", re.IGNORECASE)


def stamp(text: str) -> datetime | None:
    """`2026-02-02 15:58:23.948203 America/Los_Angeles` (or Z, UTC, +0100, nothing for UTC), else None."""
    match = _STAMP.fullmatch(text)
    if not match:
        return None
    day, clock, fraction, zone = match.groups()
    local = f"{day}T{clock}.{fraction or '0':0<6}"
    try:
        if zone in ("", "Z", "UTC", "GMT"):
            return datetime.fromisoformat(local + "+00:00")
        if _OFFSET.fullmatch(zone):
            return datetime.fromisoformat(local + zone).astimezone(UTC)
        place = _zone(zone)
        return datetime.fromisoformat(local).replace(tzinfo=place).astimezone(UTC) if place else None
    except (ValueError, OverflowError):
        return None


def _zone(name: str) -> tzinfo | None:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # rarely needed

    try:
        return ZoneInfo(name) if _PLACE.fullmatch(name) else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def spoken(text: str) -> datetime | None:
    """`May 18, 2026 1224 PM`, `Sept 1, 2026 9:30 AM`: local time of a platform that does not say where."""
    match = _SPOKEN.fullmatch(text.strip())
    if not match or match[1][:3].lower() not in _MONTHS.split():
        return None
    month, hour = _MONTHS.index(match[1][:3].lower()) // 4 + 1, int(match[4])
    if not 1 <= hour <= 12:
        return None
    hour = hour % 12 + (12 if match[6].upper() == "PM" else 0)
    try:
        return datetime(int(match[3]), month, int(match[2]), hour, int(match[5] or 0))
    except ValueError:
        return None
