"""The lesson's losses, and what is left of them when Wv is frozen."""

import pytest
from judging import checks

LOSSES = ["0.6470", "0.6077", "0.5770", "0.5530", "0.5340", "0.5190", "0.5070", "0.4974", "0.4897", "0.4835"]


def test_the_lessons_ten_losses():
    [check] = [check for check in checks() if check.id == "monotone_loss"]
    assert [f"{loss:.4f}" for loss in check.expected] == LOSSES
    [frozen] = [e for e in check.run(check.problem.reference).evidence if e.part == "frozen"]
    assert frozen.value == pytest.approx(0.6470246, abs=2e-7)


def test_one_step_that_is_asked_anew_is_hidden():
    [check] = [check for check in checks() if check.id == "monotone_loss"]
    hidden = set()
    for asked in check.asked.values():
        first, between, last = asked
        assert (first, last) == (0, 9)
        hidden.add(between)
    assert hidden <= set(range(1, 9))
    seeds = check.problem.hidden_seeds
    assert len(seeds) == 3 and check.spec.seed not in seeds
