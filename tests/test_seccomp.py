"""The filter's program and the tables of numbers, for both architectures wherever the tests run."""

import re
import struct
from pathlib import Path

import pytest

from autograder.sandbox import landlock, linux, seccomp


def test_aarch64_numbers():
    numbers = linux.NUMBERS["aarch64"]
    spot = {
        "openat": 56, "clone": 220, "execve": 221, "socket": 198, "read": 63, "write": 64, "futex": 98,
        "mmap": 222, "exit_group": 94,
    }  # fmt: skip
    assert {name: numbers[name] for name in spot} == spot
    assert set(linux.NUMBERS["x86_64"]) - set(numbers) == {"open", "stat", "time", "fork"}


@pytest.mark.parametrize("machine", linux.ARCHITECTURES)
def test_every_rule_resolves_to_a_number_of_its_own(machine):
    numbers = linux.NUMBERS[machine]
    names = [name for name, _ in seccomp.rules(5, 1) if not (machine == "aarch64" and name == "time")]
    assert len({numbers[name] for name in names}) == len(names)
    assert len(set(numbers.values())) == len(numbers)


@pytest.mark.parametrize(
    ("machine", "header"),
    [
        ("x86_64", "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
        ("aarch64", "/usr/include/asm-generic/unistd.h"),
    ],
)
def test_numbers_are_those_of_the_kernel_headers(machine, header):
    if not Path(header).exists():
        pytest.skip(f"{header} is not installed")
    found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", Path(header).read_text())
    defined = {{"fstatat": "newfstatat"}.get(name, name): int(number) for name, number in found}
    assert {name: defined.get(name) for name in linux.NUMBERS[machine]} == linux.NUMBERS[machine]


def judged(code, arch, number, *arguments):
    """What a filter program returns: a small interpreter of classic BPF."""
    data = struct.pack("<IIQ6Q", number, arch, 0, *arguments, *(0,) * (6 - len(arguments)))
    at, a = 0, 0
    while True:
        operation, yes, no, k = struct.unpack_from("<HBBI", code, 8 * at)
        at += 1
        if operation == seccomp.RETURN:
            return k
        if operation == seccomp.LOAD:
            (a,) = struct.unpack_from("<I", data, k)
        elif operation == seccomp.AND:
            a &= k
        elif operation == seccomp.JUMP_EQUAL:
            at += yes if a == k else no
        elif operation == seccomp.JUMP_AT_LEAST:
            at += yes if a >= k else no
        else:
            raise AssertionError(f"unknown operation {operation:#x}")


ALLOW, EPERM, KILL = seccomp.RET_ALLOW, seccomp.RET_EPERM, seccomp.RET_KILL_PROCESS


@pytest.mark.parametrize("machine", linux.ARCHITECTURES)
def test_program_allows_its_rules_and_nothing_else(machine):
    code = seccomp.program(5, 1234, machine)
    arch, numbers = seccomp.AUDIT_ARCH[machine], linux.NUMBERS[machine]
    always = {numbers[name] for name in seccomp.ALWAYS if name in numbers}
    allowed = {n for n in range(1024) if judged(code, arch, n, *(2**64 - 1,) * 6) == ALLOW}
    assert allowed == always
    cases = [
        ("recvfrom", (5,), ALLOW), ("recvfrom", (4,), EPERM), ("recvfrom", (5 + 2**32,), EPERM),
        ("recvfrom", (5, 0, 0, 1), EPERM), ("sendto", (5, 0, 0, 1), EPERM), ("sendto", (4, 0, 0, 0), EPERM),
        ("sendto", (5,), ALLOW), ("sendto", (1,), EPERM), ("recvmsg", (5,), EPERM),
        ("read", (0,), ALLOW), ("read", (5,), EPERM),
        ("write", (1,), ALLOW), ("write", (2,), ALLOW), ("write", (0,), EPERM), ("write", (5,), EPERM),
        ("mmap", (0, 4096, 3), ALLOW), ("mmap", (0, 4096, 5), EPERM), ("mmap", (0, 4096, 4 + 2**32), EPERM),
        ("mprotect", (0, 0, 1), ALLOW), ("mprotect", (0, 0, 7), EPERM),
        ("futex", (0, 0x189), ALLOW), ("futex", (0, 0x81), ALLOW), ("futex", (0, 6), EPERM),
        ("futex", (0, 1), EPERM), ("futex", (0, 0x281), EPERM), ("futex", (0, 0x81 + 2**32), ALLOW),
        ("clock_gettime", (0,), ALLOW), ("clock_gettime", (11,), ALLOW), ("clock_getres", (16,), EPERM),
        ("clock_gettime", (2**64 - 6,), EPERM), ("clock_nanosleep", (2**32 - 6,), EPERM),
        ("tgkill", (1234,), ALLOW), ("tgkill", (1233,), EPERM), ("tgkill", (1234 + 2**32,), EPERM),
    ]  # fmt: skip
    assert [(n, a, judged(code, arch, numbers[n], *a)) for n, a, _ in cases] == cases


def test_program_kills_calls_of_a_foreign_abi():
    x86, arm = seccomp.AUDIT_ARCH["x86_64"], seccomp.AUDIT_ARCH["aarch64"]
    for machine, own, other in (("x86_64", x86, arm), ("aarch64", arm, x86)):
        code = seccomp.program(5, 1, machine)
        getpid = linux.NUMBERS[machine]["getpid"]
        assert judged(code, own, getpid) == ALLOW
        assert judged(code, other, getpid) == KILL
        assert judged(code, 0x40000003, getpid) == KILL  # i386
    assert judged(seccomp.program(5, 1, "x86_64"), x86, seccomp.X32_BIT | 39) == KILL


@pytest.mark.skipif(not linux.supported, reason="Linux on x86-64 or aarch64 only")
def test_filled_program_is_the_assembled_one():
    assert seccomp.filled(7, 4321) == seccomp.program(7, 4321)


def test_landlock_handles_all_rights_of_each_abi():
    sizes = {abi: len(landlock.attributes(abi)) for abi in range(1, 9)}
    assert sizes == {1: 8, 2: 8, 3: 8, 4: 16, 5: 16, 6: 24, 7: 24, 8: 24}
    assert struct.unpack("=Q", landlock.attributes(1)) == (0x1FFF,)
    assert struct.unpack("=3Q", landlock.attributes(7)) == (0xFFFF, 3, 3)
