"""An agent that feeds a recorded run again: the same commands, edits and replies, in order."""

import hashlib
from pathlib import Path

from pydantic import JsonValue, ValidationError

from models.errors import Infrastructure, NotFound
from models.schemas.replay_settings import ReplaySettings
from models.schemas.transcript import Transcript, TranscriptStep
from models.verdicts import StopReason, VoidCategory
from workers.agents.adapter import AgentContext, AgentEnding
from workers.agents.agent_shell import SHELL, AgentShell
from workers.agents.edits import carry_out, edit_of
from workers.sandbox.outcome import Ending


class ReplayAgent:
    """Asks no model and decides nothing: what the recording's system did is done once more."""

    needs_shell = True
    model_needs = None

    def __init__(self, settings: ReplaySettings) -> None:
        self._settings = settings

    def run(self, context: AgentContext) -> AgentEnding:
        """Do every step of the recording; where another output comes of one, a note says so. What
        it tells of its model's replies is known of this run once all was done again.

        Raises Infrastructure where there is no such recording, or none of this task and language.
        """
        shell = context.shell
        assert shell is not None, "the stage gives a shell to every agent that needs one"
        told = self._recording(context)
        for step in told.steps:
            _repeat(shell, step)
            if (reason := _used_up(shell)) is not None:
                return AgentEnding(reason, shell.steps)
        return AgentEnding(
            told.stop_reason,
            shell.steps,
            fates=told.fates,
            first_solved_turn=told.first_solved_turn,
            measured=told.measured,
        )

    def _recording(self, context: AgentContext) -> Transcript:
        """The recording that belongs to this repeat."""
        order = context.order
        known = [self._read(digest, context) for digest in self._settings.recordings]
        fitting = [one for one in known if (one.task, one.language) == (order.task, order.language)]
        if not fitting:
            what = f"none of the recordings is of {order.task}/{order.language}"
            raise _unusable(what, "Name one among its recordings.")
        return fitting[(order.repeat - 1) % len(fitting)]

    def _read(self, digest: str, context: AgentContext) -> Transcript:
        try:
            data = self._bytes(digest, context)
            if f"sha256:{hashlib.sha256(data).hexdigest()}" != digest:
                raise _unusable(f"the file of {digest[:19]} holds something else", "Put it back.")
            told = Transcript.model_validate_json(data)
        except (NotFound, OSError) as error:
            remedy = "Put it where every agent worker finds it: see `folder` of the agent replay."
            raise _unusable(
                f"the recording {digest[:19]} is not there ({error})", remedy
            ) from error
        except ValidationError as error:
            what = f"{digest[:19]} is no transcript ({error.error_count()} faults)"
            raise _unusable(what, "Name the digest of a transcript.") from error
        if not told.is_seen:
            what = f"what the program of {digest[:19]} told of itself can't be done again exactly"
            raise _unusable(what, "Name transcripts in which the farm saw every step.")
        return told

    def _bytes(self, digest: str, context: AgentContext) -> bytes:
        if not self._settings.folder:
            return context.artifact(digest)
        return (Path(self._settings.folder) / digest.removeprefix("sha256:")).read_bytes()


def _repeat(shell: AgentShell, step: TranscriptStep) -> None:
    edit = edit_of(step.data) if step.kind == "edit" else None
    if edit is not None:
        carry_out(shell, edit)
    elif step.kind == "command":
        shell.run(_argv(step), shown=step.text, most_s=_stopped_after(step))
    else:
        output = step.output.encode()
        shell.note(step.kind, step.text, output=output, exit_code=step.exit_code, data=step.data)
        return
    _compare(shell, step, shell.steps[-1])


def _argv(step: TranscriptStep) -> tuple[str, ...]:
    match step.data.get("argv"):
        case [*words] if words:
            return tuple(str(word) for word in words)
        case _:
            return (*SHELL, step.text)


def _stopped_after(step: TranscriptStep) -> float | None:
    """The seconds after which a command was stopped then; None where it ended by itself."""
    took = step.data.get("wall_s")
    stopped = step.data.get("ending") == Ending.wall_timeout.value
    return float(took) if stopped and isinstance(took, int | float) else None


def _compare(shell: AgentShell, recorded: TranscriptStep, now: TranscriptStep) -> None:
    then, here = _outcome(recorded), _outcome(now)
    if then != here:
        other = ", ".join(name for name in then if then[name] != here[name])
        shell.note(
            "note",
            f"step {recorded.number} of the recording came out otherwise: {other}",
            data={"recorded": {**then}, "now": {**here}},
        )


def _outcome(step: TranscriptStep) -> dict[str, JsonValue]:
    return {
        "exit_code": step.exit_code,
        "output": step.output,
        "output_artifact": step.output_artifact,
    }


def _used_up(shell: AgentShell) -> StopReason | None:
    if shell.left_s <= 0:
        return StopReason.WALL_BUDGET
    return StopReason.OUTPUT_BUDGET if shell.left_output <= 0 else None


def _unusable(what: str, remedy: str) -> Infrastructure:
    return Infrastructure(VoidCategory.OPERATOR, f"replay: {what}.", remedy=remedy)
