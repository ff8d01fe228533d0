"""One role of a farm as a machine of its own: a user, a folder, a mount namespace."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[2]
STARTS = 6
CLOSED = ("/tmp", "/var/tmp", "/root")
"""What a machine has to itself: nothing of the test's own is seen there."""


@dataclass
class RoleMachine:
    """`folder` is the user's own; `masked` are folders that this machine doesn't have."""

    user: int
    folder: Path
    environment: dict[str, str]
    masked: tuple[Path, ...] = ()
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def log(self) -> Path:
        """All that its process printed."""
        return self.folder / "log"

    def make(self) -> None:
        """Make the folder, closed to all other users."""
        self.folder.mkdir()
        self.give(self.folder)

    def give(self, path: Path) -> None:
        """Let `path` belong to this user, and nobody else look into it."""
        for each in (path, *path.rglob("*")):
            os.chown(each, self.user, self.user)
        path.chmod(0o700)

    def start(self, *words: str, until: str) -> None:
        """Start `gradefarm <words>` on it, and wait until it says `until`.

        A worker that finds its machine too busy to measure sandboxes ends, and is started again as
        every supervisor would.
        """
        for _ in range(STARTS):
            self._launch(words)
            assert self.process is not None
            while until not in self.log.read_text() and self.process.poll() is None:
                time.sleep(0.1)
            if self.process.poll() is None:
                return
        raise AssertionError(self.log.read_text())

    def _launch(self, words: tuple[str, ...]) -> None:
        script = self.folder.parent / f"machine-{self.user}.sh"
        script.write_text(_script(self.masked))
        told = [f"{name}={value}" for name, value in self.environment.items()]
        command = [sys.executable, str(Path(sys.executable).parent / "gradefarm"), *words]
        with self.log.open("wb") as log:
            os.chown(self.log, self.user, self.user)
            self.process = subprocess.Popen(
                ["unshare", "--mount", "sh", script, *self._as_user, "env", "-i", *told, *command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd="/",
            )

    def run(self, *command: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
        """Run a command as this user on this machine while its process lives."""
        assert self.process is not None
        place = ["nsenter", "--mount", f"--target={self.process.pid}"]
        return subprocess.run(
            [*place, *self._as_user, *command],
            input=stdin,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=120,
        )

    def environments(self) -> bytes:
        """The environment of every process that it runs."""
        assert self.process is not None
        first = psutil.Process(self.process.pid)
        pids = [process.pid for process in (first, *first.children(recursive=True))]
        return b"\n".join(Path(f"/proc/{pid}/environ").read_bytes() for pid in pids)

    def stop(self) -> None:
        """Ask it to end, and see to it."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    @property
    def _as_user(self) -> list[str]:
        return ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups"]


def _script(masked: tuple[Path, ...]) -> str:
    """Words for a shell of root in a new mount namespace: what the machine sees, then the rest."""
    needed = [Path(sys.base_prefix), Path(sys.prefix), ROOT]
    closed = [Path(name) for name in CLOSED]
    closed += [up for path in needed for up in path.parents if not up.stat().st_mode & 0o001]
    kept = [path for path in needed if any(path.is_relative_to(one) for one in closed)]
    lines = ["set -e", "mount -t tmpfs tmpfs /mnt"]
    for number, path in enumerate(kept):
        lines.append(f"mkdir /mnt/{number} && mount --bind {path} /mnt/{number}")
    for path in dict.fromkeys(closed):
        mode = "1777" if "tmp" in path.name else "755"
        lines.append(f"mount -t tmpfs -o mode={mode} tmpfs {path}")
    for number, path in enumerate(kept):
        lines.append(f"mkdir -p {path} && mount --bind /mnt/{number} {path}")
    lines += [f"mount -t tmpfs -o ro,mode=755 tmpfs {path}" for path in masked]
    return "\n".join([*lines, "umount --recursive --lazy /mnt", 'exec "$@"', ""])
