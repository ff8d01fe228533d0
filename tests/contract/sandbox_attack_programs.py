# ruff: noqa: E501 (programs keep their lines)
"""Programs that judged code might be, with the endings that count as held.

Each prints BREACH if it got through. The system call numbers are those of x86_64.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from workers.sandbox.outcome import Ending

E = Ending

_SYSCALL = """
import ctypes, os, errno
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(number, *[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    return result, errno.errorcode.get(ctypes.get_errno(), "0")
def refused(number, *arguments):
    result, name = call(number, *arguments)
    print("BREACH" if result >= 0 else "held", number, name)
"""


@dataclass(frozen=True)
class Attack:
    """`endings` are right, others are not; `code` is the exit code when it exits."""

    name: str
    source: str
    endings: tuple[Ending, ...] = (E.exited,)
    code: int = 0
    mode: str = "rw"
    limits: dict[str, float] = field(default_factory=dict[str, float])

    def __str__(self) -> str:
        return self.name


def _refused_calls(name: str, lines: str) -> Attack:
    return Attack(name, _SYSCALL + lines)


EXHAUSTION = [
    Attack(
        "fork bomb",
        "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
        (E.wall_timeout, E.cpu_timeout, E.memory),
        limits={"wall_s": 1.5},
    ),
    Attack(
        "thread bomb",
        "import threading, time\nn=0\n"
        "try:\n    while True:\n        threading.Thread(target=time.sleep, args=(9,), daemon=True).start(); n += 1\n"
        "except RuntimeError: print('BREACH' if n > 40 else 'held', flush=True)\n"
        "import os; os._exit(0)",
    ),
    Attack("memory bomb", "b=[]\nwhile True: b.append(b'x' * 8_000_000)", (E.memory,)),
    Attack(
        "memory bomb in many children",
        "import os, time\n"
        "for _ in range(8):\n    if os.fork() == 0:\n        b = b'x' * 60_000_000; time.sleep(9)\n"
        "time.sleep(9)",
        (E.memory,),
    ),
    Attack(
        "memory in anonymous files",
        "import os\nkeep=[]\nwhile True:\n    f = os.memfd_create('m'); os.write(f, b'x' * 4_000_000)\n"
        "    keep.append(f)\n    m = __import__('mmap').mmap(f, 4_000_000); keep.append(m); m[:] = m[:]",
        (E.memory,),
    ),
    Attack(
        "temporary file bomb",
        "import os\nn=0\n"
        "try:\n    while True:\n        open(f'/tmp/{n}', 'wb').write(b'x' * 1_000_000); n += 1\n"
        "except OSError: print('BREACH' if n > 40 else 'held')",
    ),
    Attack(
        "shared memory bomb",
        "n=0\n"
        "try:\n    while True:\n        open(f'/dev/shm/{n}', 'wb').write(b'x' * 1_000_000); n += 1\n"
        "except OSError: print('BREACH' if n > 70 else 'held')",
    ),
    Attack(
        "inode bomb in memory",
        "n=0\nwhile True:\n    open(f'/tmp/{n}', 'w').close(); n += 1",
        (E.disk_limit, E.memory),
    ),
    Attack(
        "inode bomb in the workspace",
        "n=0\nwhile True:\n    open(f'/work/{n}', 'w').close(); n += 1",
        (E.disk_limit,),
        limits={"files": 200, "wall_s": 9.0, "cpu_s": 8.0},
    ),
    Attack(
        "many files in the workspace",
        "n=0\nwhile True:\n    open(f'/work/{n}', 'wb').write(b'x' * 1_000_000); n += 1",
        (E.disk_limit,),
    ),
    Attack(
        "many files, quickly, and out",
        "for n in range(40): open(f'/work/{n}', 'wb').write(b'x' * 1_000_000)",
        (E.disk_limit,),
    ),
    Attack(
        "many files in a throwaway view",
        "n=0\nwhile True:\n    open(f'/work/{n}', 'wb').write(b'x' * 1_000_000); n += 1",
        (E.disk_limit, E.memory),
        mode="overlay",
    ),
    Attack(
        "one huge file",
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n"
        "f = open('/work/huge', 'wb')\nwhile True: f.write(b'x' * 1_000_000)",
        (E.disk_limit,),
    ),
    Attack(
        "sparse file of 300 GB",
        "try: open('/work/sparse', 'wb').truncate(300 * 2**30); print('BREACH')\n"
        "except OSError: print('held')",
    ),
    Attack("output flood", "while True: print('x' * 1000)", (E.output_limit,)),
    Attack(
        "error flood",
        "import sys\nwhile True: sys.stderr.write('x' * 1000)",
        (E.output_limit,),
    ),
    Attack(
        "endless loop", "while True: pass", (E.cpu_timeout,), limits={"cpu_s": 1.0, "wall_s": 8.0}
    ),
    Attack(
        "endless loops in children",
        "import os\nfor _ in range(3): os.fork()\nwhile True: pass",
        (E.cpu_timeout,),
        limits={"cpu_s": 1.0, "wall_s": 8.0},
    ),
    Attack("sleep", "import time; time.sleep(99)", (E.wall_timeout,), limits={"wall_s": 0.5}),
    Attack(
        "sleep with every signal ignored",
        "import signal, time\n"
        "for s in range(1, 32):\n    try: signal.signal(s, signal.SIG_IGN)\n    except OSError: pass\n"
        "time.sleep(99)",
        (E.wall_timeout,),
        limits={"wall_s": 0.5},
    ),
    Attack(
        "stop itself",
        "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
        (E.wall_timeout,),
        limits={"wall_s": 0.5},
    ),
    Attack(
        "close every stream and run on",
        "import os, time\nfor n in range(20):\n    try: os.close(n)\n    except OSError: pass\n"
        "time.sleep(99)",
        (E.wall_timeout,),
        limits={"wall_s": 0.5},
    ),
    Attack(
        "nest 3000 directories",
        "import os\nfor _ in range(3000): os.mkdir('d'); os.chdir('d')",
        (E.disk_limit,),
        limits={"files": 100_000},
    ),
]

ESCAPES = [
    Attack(
        "survive as a daemon",
        "import os, time\n"
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
        "        for n in range(20):\n            try: os.close(n)\n            except OSError: pass\n"
        "        time.sleep(60)\n    os._exit(0)\n"
        "os._exit(0)",
    ),
    Attack(
        "survive while holding the output",
        "import os, time\nif os.fork() == 0:\n    os.setsid(); time.sleep(60)\nos._exit(0)",
    ),
    Attack(
        "kill everybody",
        "import os\n"
        "if os.fork() == 0: __import__('time').sleep(9)\n"
        "os.kill(-1, 9); os.wait(); print('held')",
    ),
    Attack(
        "use an inherited descriptor",
        "import os\nfound = [n for n in range(3, 1024) if os.path.exists(f'/proc/self/fd/{n}')]\n"
        "print('BREACH' if found else 'held', found)",
    ),
    Attack("kill the first process", "import os; os.kill(1, 9); os.kill(1, 19); print('held')"),
    _refused_calls("trace the first process", "refused(101, 16, 1, 0, 0)"),
    _refused_calls("read another process's memory", "refused(310, 1, 0, 0, 0, 0, 0)"),
    _refused_calls(
        "steal a descriptor", "fd, _ = call(434, 1, 0)\nrefused(438, fd if fd >= 0 else 0, 3, 0)"
    ),
    _refused_calls("mount", "refused(165, b'none', b'/tmp', b'tmpfs', 0, None)"),
    _refused_calls("remount writable", "refused(165, b'none', b'/usr', b'', 0x1020, None)"),
    _refused_calls("new user namespace", "refused(272, 0x10000000)"),
    _refused_calls("new user namespace by clone", "refused(56, 0x10000000 | 17, 0, 0, 0, 0)"),
    _refused_calls("clone3", "refused(435, 0, 0)"),
    _refused_calls(
        "enter a namespace", "refused(308, os.open('/proc/1/ns/net', os.O_RDONLY) if 0 else 0, 0)"
    ),
    _refused_calls("key rings", "refused(250, 0, -3, 1)\nrefused(248, b'user', b'k', b'v', 1, -3)"),
    _refused_calls("odd sockets", "for f in (40, 17, 38, 31, 44): refused(41, f, 1, 0)"),
    _refused_calls("io_uring", "refused(425, 8, ctypes.create_string_buffer(256))"),
    _refused_calls("bpf and perf", "refused(321, 0, 0, 0)\nrefused(298, 0, 0, -1, -1, 0)"),
    _refused_calls("userfaultfd", "refused(323, 0)"),
    Attack(
        "type into the worker's terminal",
        "import fcntl\n"
        "try: fcntl.ioctl(0, 0x5412, b'x'); print('BREACH')\n"
        "except OSError as e: print('held' if e.errno == 1 else 'held otherwise')",
    ),
    Attack(
        "read the host's secrets",
        "import os\n"
        "for p in ('/etc/shadow', '/root', '/etc/ssl/private', '/sys/fs/cgroup', '/run/systemd', '/var/log',\n"
        "          '/boot', '/proc/1/root/etc/shadow', '/proc/kcore', '/dev/mem', '/dev/vda', '/dev/ptmx'):\n"
        "    try:\n        (os.listdir if os.path.isdir(p) else lambda q: open(q).read(1))(p); print('BREACH', p)\n"
        "    except OSError: print('held')",
    ),
    Attack(
        "read the worker's environment",
        "import glob, os\nfound = ''.join(os.environ.values())\n"
        "for p in glob.glob('/proc/*/environ'):\n"
        "    try: found += open(p).read()\n    except OSError: pass\n"
        "print('BREACH' if 'open sesame' in found or 'SECRET' in found else 'held')",
    ),
    Attack(
        "see where the farm keeps its files",
        "words = open('/proc/1/cmdline').read().split('\\0')\n"
        "print('BREACH' if any(w.startswith('/') and w != '/usr/bin/python3' for w in words) else 'held')",
    ),
    Attack(
        "see other processes",
        "import os\nprint('BREACH' if sum(n.isdigit() for n in os.listdir('/proc')) > 4 else 'held')",
    ),
    Attack(
        "change kernel settings",
        "import os\n"
        "for p in ('/proc/sys/kernel/core_pattern', '/proc/sysrq-trigger', '/proc/self/oom_score_adj',\n"
        "          '/proc/self/uid_map', '/proc/1/oom_score_adj', '/proc/sys/vm/drop_caches'):\n"
        "    try: os.close(os.open(p, os.O_WRONLY)); print('BREACH', p)\n"
        "    except OSError: print('held')",
    ),
    Attack(
        "write outside its places",
        "import os\n"
        "for p in ('/x', '/usr/x', '/etc/x', '/etc/passwd', '/dev/x', '/run/x', '/var/tmp/x', '/home/x', '/proc/x'):\n"
        "    try: open(p, 'w'); print('BREACH', p)\n"
        "    except OSError: print('held')",
    ),
    Attack(
        "change device nodes",
        "import os\n"
        "for p in ('/dev/null', '/dev', '/dev/zero'):\n"
        "    try: os.chmod(p, 0); print('BREACH', p)\n"
        "    except OSError: print('held')\n"
        "try: os.mknod('/tmp/disk', 0o60666, os.makedev(254, 0)); print('BREACH')\n"
        "except OSError: print('held')",
    ),
    Attack(
        "become root",
        "import os\n"
        "for f in (os.setuid, os.setgid, os.seteuid):\n"
        "    try: f(0); print('BREACH')\n"
        "    except OSError: print('held')\n"
        "import subprocess\n"
        "print('BREACH' if b'uid=0' in subprocess.run(['su', '-c', 'id'], capture_output=True, stdin=subprocess.DEVNULL).stdout else 'held')",
    ),
    Attack(
        "raise its own limits",
        "import resource as r\n"
        "for k in (r.RLIMIT_FSIZE, r.RLIMIT_NOFILE, r.RLIMIT_CPU, r.RLIMIT_CORE):\n"
        "    try: r.setrlimit(k, (r.RLIM_INFINITY, r.RLIM_INFINITY)); print('BREACH', k)\n"
        "    except (ValueError, OSError): print('held')",
    ),
    Attack(
        "leave a link to the host",
        "import os\nos.symlink('/etc/passwd', '/work/link')\ntext = open('/work/link').read()\n"
        "print('BREACH' if 'daemon' in text else 'held')",
    ),
    Attack(
        "delete its own workspace",
        "import os, shutil\nshutil.rmtree('/work', ignore_errors=True)\n"
        "try: os.rmdir('/work'); print('BREACH')\nexcept OSError: print('held')",
    ),
    Attack(
        "lock everybody out of the workspace",
        "import os\nos.makedirs('/work/a/b'); open('/work/a/b/c', 'w').close()\n"
        "os.chmod('/work/a/b', 0); os.chmod('/work/a', 0); os.chmod('/work', 0); print('held')",
    ),
    Attack(
        "forge a message of the sandbox",
        "import sys; sys.stderr.write('bwrap: execvp x: No such file or directory\\n'); sys.exit(1)",
        code=1,
    ),
    Attack(
        "forge a set-up failure",
        'import sys; sys.stderr.write("bwrap: Can\'t mount proc on /newroot/proc\\n"); sys.exit(1)',
        code=1,
    ),
    Attack(
        "forge the status document",
        "import os\nfor n in range(3, 64):\n"
        "    try: os.write(n, b'{ \"exit-code\": 0 }\\n')\n    except OSError: pass\n"
        "os._exit(7)",
        code=7,
    ),
    Attack("print nothing and succeed", "pass"),
    Attack("die of a signal", "import os; os.kill(os.getpid(), 11)", (E.signalled,)),
    Attack("exit as if a toolchain were missing", "import os; os._exit(127)", code=127),
]
