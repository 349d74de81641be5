"""The policy of a course: grading.toml, validated once into typed objects. Runs nothing."""

from autograder.course.errors import CourseError
from autograder.course.load import load_course
from autograder.course.models import Assignment, Course

__all__ = ["Assignment", "Course", "CourseError", "load_course"]
