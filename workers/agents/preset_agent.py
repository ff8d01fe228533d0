"""Command-line agents that people use, on models behind the gateway."""

from models.errors import InvalidInput
from models.interchange.formats import READERS
from models.interchange.reply_fates import fates_of
from models.interchange.source_file import SourceFile
from models.schemas.budget import Resource, in_units
from models.schemas.model_call import GrantReport, Stop
from models.schemas.preset_settings import PresetName, PresetSettings
from models.schemas.transcript import TOLD_BY_AGENT, Fate, TranscriptStep
from workers.agents.adapter import AgentContext, AgentEnding
from workers.agents.agent_shell import SHELL
from workers.agents.call_steps import note_calls
from workers.agents.command import missing_program, stop_reason
from workers.agents.model_needs import EXHAUSTED, ModelNeeds
from workers.agents.presets import LOOK, PRESETS, environment
from workers.sandbox.outcome import Ending
from workers.worker_log import safe_text

NO_REPLY: tuple[Stop, ...] = ("error", "refused")
"""How calls end that brought no reply at all."""


class PresetAgent:
    """Runs a known program once, and takes its own transcript beside what the farm saw."""

    needs_shell = True

    def __init__(self, settings: PresetSettings) -> None:
        self._settings = settings
        self._preset = PRESETS[settings.preset]

    @property
    def model_needs(self) -> ModelNeeds:
        """Its one model."""
        settings = self._settings
        caps = in_units(settings.cost_usd, settings.tokens, None)
        return ModelNeeds((settings.model,), caps.get(Resource.COST), caps.get(Resource.TOKENS))

    def run(self, context: AgentContext) -> AgentEnding:
        """Run the program; whatever way it ends, what it left is graded.

        Raises Infrastructure where the sandbox has no such program, and where the gateway can't be
        asked.
        """
        shell, model = context.shell, context.model
        assert shell is not None, "the stage gives a shell to every agent that needs one"
        assert model is not None, "the stage gives a model to every agent that needs one"
        program = self._settings.program or self._preset.program
        look = shell.quietly((*SHELL, LOOK, program))
        if look.ending is not Ending.exited or look.exit_code != 0:
            raise missing_program(program, look.refusal or "it is not there")
        with model.door() as door, shell.way_out(door):
            url = door.anthropic_url if self._preset.wire == "anthropic" else door.openai_url
            outcome = shell.run(
                (*SHELL, self._preset.script),
                shown=f"{self._settings.preset} with {self._settings.model}",
                stdin=context.public.ticket.encode(),
                env=environment(self._settings, url=url, key=model.key),
            )
        report = model.report()
        note_calls(shell, report)
        steps = told_steps(self._settings.preset, outcome.stdout)
        for step in steps:
            data = {**step.data, "told_by": TOLD_BY_AGENT}
            output = step.output.encode("utf-8", "replace")
            shell.note(step.kind, step.text, output=output, exit_code=step.exit_code, data=data)
        reason = stop_reason(outcome) if report.exhausted is None else EXHAUSTED[report.exhausted]
        return AgentEnding(reason, shell.steps, fates=told_fates(steps, report))


def told_steps(name: PresetName, printed: bytes) -> tuple[TranscriptStep, ...]:
    """What a program's transcript tells, without the model calls, which the gateway saw; a note
    where it can't be read, since agents end in the middle of it."""
    source = SourceFile(f"the transcript of {name}", printed)
    try:
        found = READERS[PRESETS[name].transcript]((source,))
    except Exception as error:
        # Whatever a program prints of itself, it is not the farm that failed.
        told = error.message if isinstance(error, InvalidInput) else safe_text(error)
        return (TranscriptStep(number=1, at=0.0, kind="note", text=told),)
    return tuple(step for one in found for step in one.steps if step.kind != "model_call")


def told_fates(steps: tuple[TranscriptStep, ...], report: GrantReport) -> dict[Fate, int] | None:
    """What became of its model's replies; None where it had some, and tells of none."""
    told = fates_of(steps)
    had_any = any(call.stop not in NO_REPLY for call in report.calls)
    return None if had_any and not told else told
