"""Hosts of one network: each a network namespace with an address of its own, on one switch."""

import os
import shutil
import subprocess
from contextlib import suppress

PREFIX = "10.77.0"


class Network:
    """Namespaces joined by a bridge that is itself in one: nothing of it is on this machine's own
    network. For root."""

    def __init__(self) -> None:
        self._tag = f"gf{os.getpid() % 100_000}"
        self._hosts: list[str] = []
        self._switch = self._name("switch")
        _run("ip", "netns", "add", self._switch)
        self._in(self._switch, "link", "add", "bridge", "type", "bridge")
        self._in(self._switch, "link", "set", "bridge", "up")

    @staticmethod
    def missing() -> str:
        """What this machine lacks for it; empty where it can be had."""
        if os.geteuid() != 0:
            return "root, to make network namespaces"
        lacking = [name for name in ("ip", "nsenter") if shutil.which(name) is None]
        return " and ".join(lacking)

    def host(self, name: str) -> str:
        """A new host on the switch; returns its address."""
        self._hosts.append(name)
        namespace, port = self._name(name), self._port(name)
        address = f"{PREFIX}.{len(self._hosts)}"
        _run("ip", "netns", "add", namespace)
        self._in(
            self._switch, *("link", "add", port, "type", "veth"), "peer", "eth0", "netns", namespace
        )
        self._in(self._switch, "link", "set", port, "master", "bridge", "up")
        self._in(namespace, "addr", "add", f"{address}/24", "dev", "eth0")
        for link in ("eth0", "lo"):
            self._in(namespace, "link", "set", link, "up")
        return address

    def within(self, name: str) -> tuple[str, ...]:
        """What goes before a command line to run it on a host. Only its network is another: the
        mounts and control groups that sandboxes need stay as they are."""
        return ("nsenter", f"--net=/run/netns/{self._name(name)}", "--")

    def cut(self, name: str) -> None:
        """Pull the cable of a host out of the switch."""
        self._in(self._switch, "link", "set", self._port(name), "down")

    def mend(self, name: str) -> None:
        """Put it in again."""
        self._in(self._switch, "link", "set", self._port(name), "up")

    def close(self) -> None:
        """Take everything away; links go with their namespaces."""
        for name in (*self._hosts, "switch"):
            with suppress(subprocess.CalledProcessError):
                _run("ip", "netns", "del", self._name(name))

    def _name(self, host: str) -> str:
        return f"{self._tag}-{host}"

    def _port(self, host: str) -> str:
        return f"to-{host}"[:15]

    def _in(self, namespace: str, *words: str) -> None:
        _run("ip", "-netns", namespace, *words)


def _run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True, text=True)
