"""Makes languages ready in the background: `python -m workers.warming_process <parent> <id>…`.

Tells its parent on standard output, one JSON object a line: `{"language": …, "problem": "…",
"remedy": "…"}`, with an empty problem for a language that is warm and proved. A process of its
own, because the worker forks its pool, which no thread with a sandbox would survive.
"""

import ctypes
import json
import os
import signal
import sys

from models.errors import Infrastructure
from models.settings import current_settings, search_path
from tasks_catalog.catalog import open_catalog
from workers.farm_sandbox import open_sandbox
from workers.languages.preparation import bind_language, prove_language, warm_language
from workers.temporary_files import keep_temporary_files

SET_PARENT_DEATH_SIGNAL = 1
PROVING_NICENESS = 5
"""Languages that are ready already go first, but the others are to be served soon too."""
WARMING_NICENESS = 15
"""Of a minute of compiling, nobody else should notice anything."""


def main(parent: int, languages: list[str]) -> None:
    """Warm and prove `languages` one after the other; dies with `parent`, whose child it is.

    Those that are warm should come first: what comes after others is warmed as nicely.
    """
    ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        return
    os.nice(PROVING_NICENESS)
    settings = current_settings()
    keep_temporary_files(settings.scratch)
    known = open_catalog(settings.catalog_public, None, settings.languages).languages()
    sandbox = open_sandbox(settings)
    try:
        for language in languages:
            answer = {"language": language, "problem": "", "remedy": ""}
            try:
                runtime = bind_language(known[language], settings.scratch, search_path())
                if not runtime.is_warm:
                    os.setpriority(os.PRIO_PROCESS, 0, WARMING_NICENESS)
                warm_language(runtime, sandbox)
                prove_language(runtime, sandbox)
            except Infrastructure as error:
                answer |= {"problem": error.message, "remedy": error.remedy}
            print(json.dumps(answer), flush=True)
    finally:
        sandbox.close()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
