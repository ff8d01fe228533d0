"""What a probe of this machine found, for programs and for people."""

from collections.abc import Iterator

from workers.machine_probe import Machine


def machine_record(machine: Machine, slots: int) -> dict[str, object]:
    """A probe as a JSON object: isolation, complete, abilities, memory, languages, unready."""
    return {
        "isolation": machine.isolation_label,
        "complete": machine.isolation.complete,
        "abilities": [
            {"name": a.name, "ok": a.ok, "enforced_by": a.enforced_by, "remedy": a.remedy}
            for a in machine.isolation.abilities
        ],
        "memory": {
            "has_mb": machine.memory.has_mb,
            "stage_mb": machine.memory.stage_mb,
            "slots": slots,
            "shortage": machine.memory.shortage(slots),
        },
        "languages": {name: text for name, text, _ in _served(machine)},
        "unready": [
            {"language": u.language, "problem": u.problem, "remedy": u.remedy}
            for u in machine.unready
        ],
    }


def _served(machine: Machine) -> Iterator[tuple[str, str, bool]]:
    """Each language with what people read of it, and whether it could be proved at once."""
    for name, runtime in machine.languages.items():
        yield name, runtime.identity, True
    for name, runtime in machine.cold.items():
        when = "in the background" if runtime.is_warm else "when a worker has warmed its cache"
        yield name, f"{runtime.identity}, proved {when}", False


def machine_text(machine: Machine, slots: int) -> str:
    """A probe for people, one line for each thing found or missing."""
    shortage = machine.memory.shortage(slots)
    lines = [f"sandbox   {machine.isolation_label}"]
    lines += [
        f"  lacks   {ability.name}: {ability.remedy}" for ability in machine.isolation.missing()
    ]
    lines += [f"memory    {shortage}"] if shortage else []
    lines += [
        f"{'ready' if is_ready else 'warming':<9} {name} ({text})"
        for name, text, is_ready in _served(machine)
    ]
    lines += [f"missing   {u.language}: {u.problem} {u.remedy}".rstrip() for u in machine.unready]
    return "\n".join(lines)
