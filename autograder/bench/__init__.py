"""What grading costs, measured on the machine at hand and printed as ratios: one module a table."""
