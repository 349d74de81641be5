# A course for nbgrader. Submissions are graded by autograder in processes of their own, not in a kernel.
c = get_config()  # noqa: F821 - nbgrader defines it

c.Autograde.sanitize_preprocessors = [
    "nbgrader.preprocessors.ClearOutput",
    "autograder.platforms.nbgrader.RestoreCells",
    "nbgrader.preprocessors.OverwriteKernelspec",
    "nbgrader.preprocessors.OverwriteCells",
    "nbgrader.preprocessors.CheckCellMetadata",
]
c.Autograde.autograde_preprocessors = [
    "autograder.platforms.nbgrader.GradeBehindTheWall",
    "nbgrader.preprocessors.LimitOutput",
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]
c.GradeBehindTheWall.course = "@COURSE@"
c.GradeBehindTheWall.assignment = "@ASSIGNMENT@"
