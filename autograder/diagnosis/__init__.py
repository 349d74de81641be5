"""From evidence to words: the mistake, the line, the next step. Words only, never points."""
