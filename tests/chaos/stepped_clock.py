"""The wall clock of single processes, which can be stepped while they run."""

import shutil
import struct
import subprocess
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).with_name("stepped_clock.c")


@cache
def compiler() -> str | None:
    """A C compiler of this machine."""
    return next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)


class SteppedClock:
    """The clock of every process that is started with `environment`."""

    def __init__(self, library: Path, folder: Path) -> None:
        self._file = folder / "clock-shift"
        self._library = library
        self.step(0.0)

    @property
    def environment(self) -> dict[str, str]:
        """The variables that give a process this clock."""
        return {"LD_PRELOAD": str(self._library), "CLOCK_SHIFT": str(self._file)}

    def step(self, seconds: float) -> None:
        """From now on the clock is `seconds` before the machine's."""
        if not self._file.exists():
            self._file.write_bytes(struct.pack("d", seconds))
            return
        with self._file.open("r+b") as file:  # in place: processes hold it mapped
            file.write(struct.pack("d", seconds))


def build_library(folder: Path) -> Path:
    """The library that puts these clocks into processes."""
    program = compiler()
    assert program, "there is no C compiler"
    library = folder / "stepped_clock.so"
    options = ("-O2", "-shared", "-fPIC", "-o", library)
    subprocess.run([program, *options, SOURCE, "-lm"], check=True, capture_output=True)
    return library
