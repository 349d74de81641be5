"""Folders and zips for the platforms on which a course lives, each made from the course's one source."""
