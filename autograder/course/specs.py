"""The tables of the five checks: what each measures with, and what its parts are worth.

`parts` gives each part its points. A description is what a message says was expected.
"""

from typing import ClassVar

from pydantic import Field

from autograder.course.types import Count, Identifiers, Names, Part, Positive, Seed, Table, Text


class CheckSpec(Table):
    """What every check has."""

    PARTS: ClassVar[tuple[str, ...]] = ()  # the parts that the check knows; empty: one for each gradient

    points: Positive = Field(description="what the check is worth, the sum of its parts")
    title: Text = Field(description="a line for reports")
    parts: dict[str, Part] = Field(min_length=1, description="a table from each part to its points")
    seed: Seed = Field(description="the seed of the inputs that students may know")


class ForwardSpec(CheckSpec):
    """Values of `forward` against the reference."""

    PARTS = ("values", "shapes", "large_logits", "cache", "rows")

    shape: Text = Field(description="the name of the shape for values, cache and rows")
    shapes: Names = Field((), description="the names of further shapes")
    hidden_seed: Seed = Field(description="the seed of the hidden inputs")
    logit_scale: Positive = Field(60.0, description="the factor on weights N(0, 1/C) for large logits")
    tolerance: Positive = Field(description="the largest relative error that passes")
    row_tolerance: Positive = Field(1e-8, description="how far a row's sum may be from 1")


class GradcheckSpec(CheckSpec):
    """Gradients against differences of the student's own `forward`. One part for each tensor."""

    shapes: Names = Field(min_length=1, description="the names of the shapes to check at")
    hidden_seed: Seed = Field(description="the seed of the hidden inputs and directions")
    threshold: Positive = Field(description="the largest relative error that passes")
    step: Positive = Field(description="the step of the central differences")
    directions: Count = Field(description="how many random directions a tensor")
    linear_tolerance: Positive = Field(description="how far backward may be from linear in dout")
    further_shapes: Names = Field((), description="the names of shapes to hold against the reference at")
    large_shape: Text | None = Field(None, description="a shape too large for differences in backward")
    large_seconds: Positive | None = Field(None, description="seconds for it; call_seconds if not given")


class MonotoneLossSpec(CheckSpec):
    """Gradient descent on 0.5 * mean((out - Y)^2)."""

    PARTS = ("falls", "losses", "frozen")

    shape: Text = Field(description="the name of the shape to train at")
    learning_rate: Positive = Field(description="the learning rate")
    steps: Count = Field(description="how many steps")
    decimals: Count = Field(4, description="to how many decimals the losses agree with the reference's")
    frozen: Identifiers = Field((), description="parameters that the part `frozen` does not update")
    frozen_floor: float = Field(0.0, description="what the loss stays above with these frozen")


class ZeroGradSpec(CheckSpec):
    """`zero_grad` leaves None or zeros, and nothing else changed."""

    PARTS = ("clears", "keeps", "loop")

    shape: Text = Field(description="the name of the shape to check at")


class ContractSpec(CheckSpec):
    """What callers of a layer rely on beside its values."""

    PARTS = ("initial", "dtype", "untouched", "again", "interleaved", "any_shape")

    shape: Text = Field(description="the name of the shape to check at")
    hidden_seed: Seed = Field(description="the seed of the hidden inputs")
    tolerance: Positive = Field(description="the largest relative error against the layer's own first answer")


class Checks(Table):
    """The checks of an assignment; each may be left out, not all. Order here is the order of running."""

    forward: ForwardSpec | None = None
    gradcheck: GradcheckSpec | None = None
    monotone_loss: MonotoneLossSpec | None = None
    zero_grad: ZeroGradSpec | None = None
    contract: ContractSpec | None = None

    @property
    def present(self) -> dict[str, CheckSpec]:
        """The checks of this assignment by id, in the order of running."""
        return {name: spec for name in type(self).model_fields if (spec := getattr(self, name)) is not None}
