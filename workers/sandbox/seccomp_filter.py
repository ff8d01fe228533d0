"""The system call filter, written as classic BPF so that no library is needed to build it.

A deny-list: sandboxed programs are ordinary builds and interpreters, and a list of what they may
call would break with every new toolchain. Foreign architectures are killed, denied calls fail with
EPERM, and `clone3` fails with ENOSYS because its flags lie in memory where a filter can't look
(the C library then falls back to `clone`, whose flags it can).
"""

from __future__ import annotations

import errno
import struct
from dataclasses import dataclass

_LOAD = 0x20
_JUMP_EQUAL = 0x15
_JUMP_GREATER_EQUAL = 0x35
_JUMP_ANY_BIT = 0x45
_RETURN = 0x06

_ALLOW = 0x7FFF0000
_KILL = 0x80000000
_ERRNO = 0x00050000

_NUMBER_OFFSET = 0
_ARCHITECTURE_OFFSET = 4
_ARGUMENT_OFFSETS = (16, 24)

_NEW_NAMESPACES = 0x7E020080
_TIOCSTI = 0x5412
_TIOCLINUX = 0x541C
_X32_BIT = 0x40000000
# Unix, IPv4, IPv6 and netlink (the resolver and Go list interfaces by it) are all that code needs.
_SOCKET_FAMILIES = (1, 2, 10, 16)

# Numbers above 423 are the same on every architecture.
_DENIED_EVERYWHERE = {
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "pidfd_getfd": 438,
    "process_madvise": 440,
    "mount_setattr": 442,
    "quotactl_fd": 443,
    "open_tree_attr": 467,
}

_DENIED_X86_64 = {
    "ptrace": 101,
    "syslog": 103,
    "vhangup": 153,
    "modify_ldt": 154,
    "pivot_root": 155,
    "adjtimex": 159,
    "acct": 163,
    "settimeofday": 164,
    "mount": 165,
    "umount2": 166,
    "swapon": 167,
    "swapoff": 168,
    "reboot": 169,
    "sethostname": 170,
    "setdomainname": 171,
    "iopl": 172,
    "ioperm": 173,
    "create_module": 174,
    "init_module": 175,
    "delete_module": 176,
    "quotactl": 179,
    "lookup_dcookie": 212,
    "clock_settime": 227,
    "kexec_load": 246,
    "add_key": 248,
    "request_key": 249,
    "keyctl": 250,
    "migrate_pages": 256,
    "unshare": 272,
    "move_pages": 279,
    "perf_event_open": 298,
    "fanotify_init": 300,
    "name_to_handle_at": 303,
    "open_by_handle_at": 304,
    "clock_adjtime": 305,
    "setns": 308,
    "process_vm_readv": 310,
    "process_vm_writev": 311,
    "kcmp": 312,
    "finit_module": 313,
    "kexec_file_load": 320,
    "bpf": 321,
    "userfaultfd": 323,
}

_DENIED_AARCH64 = {
    "lookup_dcookie": 18,
    "umount2": 39,
    "mount": 40,
    "pivot_root": 41,
    "vhangup": 58,
    "quotactl": 60,
    "acct": 89,
    "unshare": 97,
    "kexec_load": 104,
    "init_module": 105,
    "delete_module": 106,
    "clock_settime": 112,
    "syslog": 116,
    "ptrace": 117,
    "reboot": 142,
    "sethostname": 161,
    "setdomainname": 162,
    "settimeofday": 170,
    "adjtimex": 171,
    "add_key": 217,
    "request_key": 218,
    "keyctl": 219,
    "swapon": 224,
    "swapoff": 225,
    "migrate_pages": 238,
    "move_pages": 239,
    "perf_event_open": 241,
    "fanotify_init": 262,
    "name_to_handle_at": 264,
    "open_by_handle_at": 265,
    "clock_adjtime": 266,
    "setns": 268,
    "process_vm_readv": 270,
    "process_vm_writev": 271,
    "kcmp": 272,
    "finit_module": 273,
    "bpf": 280,
    "userfaultfd": 282,
    "kexec_file_load": 294,
}


@dataclass(frozen=True, slots=True)
class _Architecture:
    audit_number: int
    denied: dict[str, int]
    clone: int
    ioctl: int
    socket: int
    has_x32: bool


_CLONE3 = 435

_ARCHITECTURES = {
    "x86_64": _Architecture(0xC000003E, _DENIED_X86_64, 56, 16, 41, has_x32=True),
    "aarch64": _Architecture(0xC00000B7, _DENIED_AARCH64, 220, 29, 198, has_x32=False),
}


class UnsupportedArchitecture(ValueError):
    """No system call table is known for this machine."""


def build_filter(machine: str) -> bytes:
    """The filter for `machine` (as `os.uname().machine` says it) as an array of sock_filter.

    Raises UnsupportedArchitecture for anything but x86_64 and aarch64.
    """
    architecture = _ARCHITECTURES.get(machine)
    if architecture is None:
        raise UnsupportedArchitecture(f"no system call table for {machine}")
    prologue = [
        _statement(_LOAD, _ARCHITECTURE_OFFSET),
        _jump(_JUMP_EQUAL, architecture.audit_number, 1, 0),
        _statement(_RETURN, _KILL),
        _statement(_LOAD, _NUMBER_OFFSET),
    ]
    if architecture.has_x32:
        prologue += [
            _jump(_JUMP_GREATER_EQUAL, _X32_BIT, 0, 1),
            _statement(_RETURN, _KILL),
        ]
    return b"".join(prologue + _search_tree(_rules(architecture)))


def _rules(architecture: _Architecture) -> list[tuple[int, list[bytes]]]:
    """System call number and the instructions that decide it, sorted by number."""
    denied = set(architecture.denied.values()) | set(_DENIED_EVERYWHERE.values())
    rules = {number: [_refuse(errno.EPERM)] for number in denied}
    rules[_CLONE3] = [_refuse(errno.ENOSYS)]
    rules[architecture.clone] = _deny_namespaces()
    rules[architecture.ioctl] = _deny_terminal_injection()
    rules[architecture.socket] = _deny_odd_sockets()
    return sorted(rules.items())


def _search_tree(rules: list[tuple[int, list[bytes]]]) -> list[bytes]:
    """A binary search over the sorted rules: the kernel runs the filter once for every number of
    its table whenever one is installed, so that depth is paid at each launch.
    """
    if len(rules) == 1:
        number, body = rules[0]
        return [_jump(_JUMP_EQUAL, number, 0, len(body)), *body, _statement(_RETURN, _ALLOW)]
    middle = len(rules) // 2
    lower, upper = _search_tree(rules[:middle]), _search_tree(rules[middle:])
    pivot = rules[middle][0]
    if len(lower) <= 255:
        return [_jump(_JUMP_GREATER_EQUAL, pivot, len(lower), 0), *lower, *upper]
    hop = struct.pack("=HBBI", 0x05, 0, 0, len(lower))
    return [_jump(_JUMP_GREATER_EQUAL, pivot, 0, 1), hop, *lower, *upper]


def _deny_namespaces() -> list[bytes]:
    return [
        _statement(_LOAD, _ARGUMENT_OFFSETS[0]),
        _jump(_JUMP_ANY_BIT, _NEW_NAMESPACES, 0, 1),
        _refuse(errno.EPERM),
        _statement(_RETURN, _ALLOW),
    ]


def _deny_terminal_injection() -> list[bytes]:
    return [
        _statement(_LOAD, _ARGUMENT_OFFSETS[1]),
        _jump(_JUMP_EQUAL, _TIOCSTI, 1, 0),
        _jump(_JUMP_EQUAL, _TIOCLINUX, 0, 1),
        _refuse(errno.EPERM),
        _statement(_RETURN, _ALLOW),
    ]


def _deny_odd_sockets() -> list[bytes]:
    count = len(_SOCKET_FAMILIES)
    matches = [
        _jump(_JUMP_EQUAL, family, count - place, 0)
        for place, family in enumerate(_SOCKET_FAMILIES)
    ]
    return [
        _statement(_LOAD, _ARGUMENT_OFFSETS[0]),
        *matches,
        _refuse(errno.EAFNOSUPPORT),
        _statement(_RETURN, _ALLOW),
    ]


def _refuse(number: int) -> bytes:
    return _statement(_RETURN, _ERRNO | number)


def _statement(code: int, value: int) -> bytes:
    return struct.pack("=HBBI", code, 0, 0, value)


def _jump(code: int, value: int, if_true: int, if_false: int) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)
