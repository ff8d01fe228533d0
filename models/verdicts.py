"""The closed sets of what a run, a check and an attempt can end as."""

from enum import StrEnum


class Verdict(StrEnum):
    """What a run is worth. `void` is never scored and always shown."""

    PASSED = "passed"
    FAILED = "failed"
    VOID = "void"


class CheckOutcome(StrEnum):
    """What one check said of one graded state. Everything but `passed` fails the run."""

    PASSED = "passed"
    WRONG = "wrong"
    CRASH = "crash"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    OUTPUT_LIMIT = "output_limit"
    PROTOCOL = "protocol"
    BUILD_FAILED = "build_failed"
    NOT_REACHED = "not_reached"


class VoidCategory(StrEnum):
    """Why an attempt, or a run after its last attempt, does not count."""

    WORKER_LOST = "worker_lost"
    LEASE_EXPIRED = "lease_expired"
    SANDBOX_SETUP = "sandbox_setup"
    TOOLCHAIN_MISSING = "toolchain_missing"
    TOOLCHAIN_MISMATCH = "toolchain_mismatch"
    DISK_FULL = "disk_full"
    PROVIDER_UNAVAILABLE = "provider_unavailable"
    GATEWAY = "gateway"
    GRADER = "grader"
    MANIFEST_MISMATCH = "manifest_mismatch"
    OPERATOR = "operator"
    UNKNOWN = "unknown"


MACHINE_BOUND = frozenset(
    {
        VoidCategory.SANDBOX_SETUP,
        VoidCategory.TOOLCHAIN_MISSING,
        VoidCategory.TOOLCHAIN_MISMATCH,
        VoidCategory.DISK_FULL,
        VoidCategory.MANIFEST_MISMATCH,
        VoidCategory.UNKNOWN,
    }
)
"""Voids that the same machine may give again at once: another one should get the next try."""


class Component(StrEnum):
    """The part of the farm that a void is blamed on."""

    WORKER = "worker"
    SANDBOX = "sandbox"
    TOOLCHAIN = "toolchain"
    DISK = "disk"
    PROVIDER = "provider"
    GATEWAY = "gateway"
    GRADER = "grader"
    CATALOG = "catalog"
    OPERATOR = "operator"
    FARM = "farm"


BLAMED: dict[VoidCategory, Component] = {
    VoidCategory.WORKER_LOST: Component.WORKER,
    VoidCategory.LEASE_EXPIRED: Component.WORKER,
    VoidCategory.SANDBOX_SETUP: Component.SANDBOX,
    VoidCategory.TOOLCHAIN_MISSING: Component.TOOLCHAIN,
    VoidCategory.TOOLCHAIN_MISMATCH: Component.TOOLCHAIN,
    VoidCategory.DISK_FULL: Component.DISK,
    VoidCategory.PROVIDER_UNAVAILABLE: Component.PROVIDER,
    VoidCategory.GATEWAY: Component.GATEWAY,
    VoidCategory.GRADER: Component.GRADER,
    VoidCategory.MANIFEST_MISMATCH: Component.CATALOG,
    VoidCategory.OPERATOR: Component.OPERATOR,
    VoidCategory.UNKNOWN: Component.FARM,
}


class StopReason(StrEnum):
    """Why the agent stage of a run ended. Independent of the verdict."""

    DONE = "done"
    DONE_GATE = "done_gate"
    TURN_BUDGET = "turn_budget"
    WALL_BUDGET = "wall_budget"
    CPU_BUDGET = "cpu_budget"
    MEMORY_BUDGET = "memory_budget"
    OUTPUT_BUDGET = "output_budget"
    DISK_BUDGET = "disk_budget"
    COST_BUDGET = "cost_budget"
    TOKEN_BUDGET = "token_budget"
    REPEATED_MALFORMED = "repeated_malformed"
    AGENT_CRASHED = "agent_crashed"
    WORKSPACE_OVER_LIMIT = "workspace_over_limit"


class AttemptEnding(StrEnum):
    """How one try of one stage ended."""

    RUNNING = "running"
    OK = "ok"
    VOID = "void"
    LOST = "lost"
    FENCED = "fenced"
    INTERRUPTED = "interrupted"
