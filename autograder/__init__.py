"""Grades hand-written NumPy layers: values, gradients, learning, and what these cannot see."""

__version__ = "0.1.0"
