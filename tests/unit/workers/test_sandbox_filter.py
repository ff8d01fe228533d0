"""The filter, interpreted instruction by instruction as the kernel does."""

from __future__ import annotations

import errno
import struct

import pytest

from workers.sandbox.seccomp_filter import UnsupportedArchitecture, build_filter

ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
X86_64, AARCH64, I386 = 0xC000003E, 0xC00000B7, 0x40000003


def decide(machine: str, architecture: int, number: int, *arguments: int) -> int:
    program = list(struct.iter_unpack("=HBBI", build_filter(machine)))
    values = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("=IIQ6Q", number, architecture, 0, *values)
    accumulator, place = 0, 0
    while True:
        code, if_true, if_false, value = program[place]
        place += 1
        if code == 0x06:
            return value
        if code == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, value)
        elif code == 0x05:
            place += value
        else:
            met = {
                0x15: accumulator == value,
                0x35: accumulator >= value,
                0x45: bool(accumulator & value),
            }[code]
            place += if_true if met else if_false


@pytest.mark.parametrize(
    "number", [0, 1, 2, 59, 60, 57, 157, 202, 231, 257, 302, 334, 424, 439, 460]
)
def test_ordinary_calls_are_allowed(number: int) -> None:
    assert decide("x86_64", X86_64, number) == ALLOW


@pytest.mark.parametrize(
    "number", [101, 155, 165, 166, 169, 246, 250, 272, 298, 308, 310, 321, 323, 425, 438, 442, 467]
)
def test_dangerous_calls_are_refused(number: int) -> None:
    assert decide("x86_64", X86_64, number) == ERRNO | errno.EPERM


@pytest.mark.parametrize("number", [40, 41, 97, 117, 142, 219, 268, 280, 282, 425])
def test_dangerous_calls_are_refused_on_arm(number: int) -> None:
    assert decide("aarch64", AARCH64, number) == ERRNO | errno.EPERM
    assert decide("aarch64", AARCH64, 64) == ALLOW


def test_new_namespaces_are_refused_and_threads_are_not() -> None:
    for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert decide("x86_64", X86_64, 56, flag | 17) == ERRNO | errno.EPERM
    assert decide("x86_64", X86_64, 56, 0x3D0F00) == ALLOW
    assert decide("x86_64", X86_64, 56, 0x1200011) == ALLOW
    assert decide("x86_64", X86_64, 435) == ERRNO | errno.ENOSYS


def test_terminal_injection_is_refused_whatever_the_upper_half_says() -> None:
    assert decide("x86_64", X86_64, 16, 0, 0x5412) == ERRNO | errno.EPERM
    assert decide("x86_64", X86_64, 16, 0, 0x100005412) == ERRNO | errno.EPERM
    assert decide("x86_64", X86_64, 16, 0, 0x5401) == ALLOW


@pytest.mark.parametrize(("family", "allowed"), [(1, True), (2, True), (10, True), (16, True)])
def test_ordinary_sockets_are_allowed(family: int, allowed: bool) -> None:
    assert (decide("x86_64", X86_64, 41, family) == ALLOW) is allowed


@pytest.mark.parametrize("family", [0, 15, 17, 29, 31, 38, 40, 44])
def test_odd_sockets_are_refused(family: int) -> None:
    assert decide("x86_64", X86_64, 41, family) == ERRNO | errno.EAFNOSUPPORT


def test_foreign_architectures_are_killed() -> None:
    assert decide("x86_64", I386, 1) == KILL
    assert decide("x86_64", X86_64, 0x40000000 | 101) == KILL
    assert decide("aarch64", X86_64, 1) == KILL


def test_a_machine_without_a_table_is_refused() -> None:
    with pytest.raises(UnsupportedArchitecture):
        build_filter("riscv64")
