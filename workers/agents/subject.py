"""Known input for the verifier: reference, untouched starter, one planted fault or control."""

import shutil

from models.errors import NotFound
from models.schemas.agents import SubjectSettings
from models.schemas.gate import (
    FAULT_PREFIX,
    REFERENCE,
    STARTER,
    Control,
    control_of,
    fault_subject,
)
from models.schemas.language import CONTROL_FILE
from models.schemas.transcript import TranscriptStep
from models.verdicts import StopReason
from tasks_catalog.patching import patch_folder
from workers.agents.adapter import AgentContext, AgentEnding
from workers.agents.control_text import control_text
from workers.languages.folder_cache import write_files
from workers.tree_copy import lay_over


class SubjectAgent:
    """Applies one subject, always the same way."""

    needs_shell = False
    model_needs = None

    def __init__(self, settings: SubjectSettings) -> None:
        self._subject = settings.subject

    def run(self, context: AgentContext) -> AgentEnding:
        """Write the subject's files. Raises NotFound for a fault that the task doesn't have."""
        return apply_subject(self._subject, context)


class ReferenceAgent:
    """Solves every task with its reference."""

    needs_shell = False
    model_needs = None

    def run(self, context: AgentContext) -> AgentEnding:
        """Write the reference's files."""
        return apply_subject(REFERENCE, context)


def apply_subject(subject: str, context: AgentContext) -> AgentEnding:
    """Turn the starter in the context's folder into `subject`.

    Raises NotFound for a fault that the task doesn't have, PatchRefused for one that no longer
    fits its reference.
    """
    if control := control_of(subject):
        _write_control(control, context)
    elif subject != STARTER:
        sealed = context.sealed()
        lay_over(sealed.reference, context.folder)
        if subject.startswith(FAULT_PREFIX):
            fault = subject.removeprefix(FAULT_PREFIX)
            patch = sealed.faults.get(fault)
            if patch is None:
                raise NotFound(
                    f"the task {context.order.task} has no fault {fault}.",
                    remedy=f"It has: {', '.join(map(fault_subject, sealed.faults))}.",
                )
            patch_folder(patch.read_bytes(), context.folder)
    step = TranscriptStep(number=1, at=0.0, kind="note", text=f"applied the subject {subject}")
    return AgentEnding(StopReason.DONE, (step,))


def _write_control(control: Control, context: AgentContext) -> None:
    """Replace all that is in the workspace by the language's control program and its orders."""
    for path in context.folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    write_files(context.folder, context.language.control_files)
    planned = context.sealed().manifest.check_ids
    (context.folder / CONTROL_FILE).write_bytes(control_text(control, context.public, planned))
