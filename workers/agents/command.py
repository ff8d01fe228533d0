"""Any agent with a command line."""

from pathlib import Path
from tempfile import TemporaryDirectory

from models.errors import Infrastructure
from models.schemas.agents import CommandSettings
from models.verdicts import StopReason, VoidCategory
from workers.agents.adapter import AgentContext, AgentEnding
from workers.agents.agent_shell import STOPPED_BY
from workers.sandbox.outcome import Ending, SandboxOutcome
from workers.sandbox.request import Mount

TICKET = "{ticket}"
TICKET_FILE = "{ticket_file}"
TICKET_AT = "/ticket"
TICKET_PATH = f"{TICKET_AT}/ticket.md"


class CommandAgent:
    """Runs one program once, in the sandbox, with the ticket."""

    needs_shell = True
    model_needs = None

    def __init__(self, settings: CommandSettings) -> None:
        self._settings = settings

    def run(self, context: AgentContext) -> AgentEnding:
        """Run the program; whatever way it ends, what it left is graded.

        Raises Infrastructure where the sandbox has no such program: that was never its doing.
        """
        shell = context.shell
        assert shell is not None, "the stage gives a shell to every agent that needs one"
        ticket = context.public.ticket
        with TemporaryDirectory(prefix="gradefarm-ticket-") as name:
            folder = Path(name)
            folder.chmod(0o755)
            (folder / "ticket.md").write_text(ticket, encoding="utf-8")
            outcome = shell.run(
                command_line(self._settings, ticket),
                shown=" ".join(self._settings.argv),
                stdin=ticket.encode() if self._settings.ticket == "stdin" else b"",
                env=self._settings.env,
                mounts=(Mount(folder, TICKET_AT, "ro"),),
            )
        if outcome.refusal:
            raise missing_program(self._settings.argv[0], outcome.refusal)
        # It has its own way to a language model, if any: what it used there nobody counted.
        return AgentEnding(stop_reason(outcome), shell.steps, cost_microusd=None, tokens=None)


def command_line(settings: CommandSettings, ticket: str) -> tuple[str, ...]:
    """The program with its arguments, the ticket handed over as the settings say."""
    argv = tuple(
        word.replace(TICKET_FILE, TICKET_PATH).replace(TICKET, ticket) for word in settings.argv
    )
    placed = any(TICKET in word or TICKET_FILE in word for word in settings.argv)
    return argv if placed or settings.ticket != "argument" else (*argv, ticket)


def stop_reason(outcome: SandboxOutcome) -> StopReason:
    """A used-up budget by its name; a program that fails is an agent that crashed."""
    if outcome.ending is Ending.exited and outcome.exit_code == 0:
        return StopReason.DONE
    return STOPPED_BY.get(outcome.ending, StopReason.AGENT_CRASHED)


def missing_program(program: str, reason: str) -> Infrastructure:
    """The campaign names a program that agents can't start: nothing of the system ever ran."""
    return Infrastructure(
        VoidCategory.OPERATOR,
        f"the program {program} could not be started in the sandbox: {reason}.",
        remedy="Install it below /usr on the agent workers, or name it by its absolute path.",
    )
