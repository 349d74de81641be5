"""The attack suite at the level that marks need; `make attacks` runs it at the others and as other users."""

import sys

import pytest
from attacking.catalogue import attacks, bases, expected
from attacking.run import ENDLESS, OTHERS, Impossible, run

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="kernel levels are Linux's")


def test_the_table_and_the_files_name_the_same_attacks():
    found = attacks({})
    assert len(found) >= 120
    assert sorted(expected()) == [attack.name for attack in found]
    assert len({attack.student for attack in found}) == len(found)


def test_no_attack_is_expected_to_earn_more_than_its_honest_part():
    honest = {"right": 100.0, "right_forward": 45.0, "wrong": 20.0, "nothing": 0.0, "": 0.0}
    assert sorted(honest) == sorted([*bases(), ""])
    table = expected()
    for attack in attacks({}):
        score, *checks = table[attack.name].split(" | ")
        assert float(score) <= honest[attack.base], attack.name
        assert float(score) == sum(float(check.split()[1]) for check in checks[:5]), attack.name


@linux
@pytest.mark.parametrize("rooms", [OTHERS, ENDLESS], ids=["ending", "endless"])
def test_attacks_gain_read_leave_and_stop_nothing(rooms):
    try:
        figures = run("L3", "self", rooms, "--no-diagnosis")
    except Impossible as reason:
        pytest.skip(str(reason))
    assert figures.problems == []
    found = (figures.gained, figures.read, figures.left, figures.changed, figures.stopped)
    assert found == (0, 0, 0, 0, 0)
    assert figures.attacks == len([a for a in attacks({}) if a.name.split("/")[0] in rooms])
