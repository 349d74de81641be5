"""Grades in the formats of other tools. Reads grades, knows nothing of how they were made."""
