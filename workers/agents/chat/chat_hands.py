"""Does what a language model says, in the sandbox, and tells what came of it."""

from dataclasses import dataclass

from models.schemas.chat_settings import ChatSettings
from models.verdicts import StopReason
from workers.agents.agent_shell import SHELL, AgentShell
from workers.agents.chat.actions import (
    Action,
    DoneAction,
    EditAction,
    ShellAction,
    WriteAction,
)
from workers.agents.chat.prompts import command_result, tests_fail
from workers.agents.developer_tests import DeveloperTests
from workers.agents.edits import Edit, carry_out
from workers.sandbox.outcome import Ending, SandboxOutcome


@dataclass(frozen=True, slots=True)
class CameOf:
    """What the model is told of its action, and the reason to stop, if it brought one."""

    told: str = ""
    stop: StopReason | None = None


class ChatHands:
    """The hands of one run."""

    def __init__(self, settings: ChatSettings, shell: AgentShell, tests: DeveloperTests) -> None:
        self._settings = settings
        self._shell = shell
        self._tests = tests
        self._starter = tests.state()
        self.first_solved_turn: int | None = None
        """The first turn that left a changed workspace in which the visible tests pass."""
        self.measured = True
        """Whether there was time to look for it after every turn."""

    def act(self, actions: tuple[Action, ...], turn: int) -> CameOf:
        """Carry out the actions of one reply. Raises as the shell does."""
        told: list[str] = []
        for action in actions:
            came_of = self._act(action)
            told.append(came_of.told)
            if came_of.stop is not None:
                break
        else:
            one_shot = self._settings.mode == "one-shot"
            came_of = CameOf("\n\n".join(told), StopReason.DONE if one_shot else None)
        self._measure(turn)
        return came_of

    def _act(self, action: Action) -> CameOf:
        most_s = self._settings.command_s
        match action:
            case ShellAction(command):
                outcome = self._shell.run((*SHELL, command), shown=command, most_s=most_s)
                output = (outcome.stdout + outcome.stderr).decode("utf-8", "replace")
                return CameOf(command_result(output, self._ended(outcome)), self._used_up(outcome))
            case WriteAction(path, content):
                return self._edit(Edit(path, content))
            case EditAction(path, hunks):
                return self._edit(Edit(path, hunks=hunks))
            case DoneAction():
                return self._done()

    def _edit(self, edit: Edit) -> CameOf:
        edited = carry_out(self._shell, edit, self._settings.command_s)
        return CameOf(edited.refusal or f"{edit.path}: done.", self._used_up(edited.outcome))

    def _done(self) -> CameOf:
        if not self._settings.done_gate:
            return CameOf(stop=StopReason.DONE)
        tested = self._tests.ask()
        self._shell.note(
            "decision",
            "done is accepted" if tested.green else "done is not accepted: the visible tests fail",
            output=tested.output.encode(),
            data={"gate": "visible tests", "green": tested.green, "state": tested.state},
        )
        if tested.green:
            return CameOf(stop=StopReason.DONE_GATE)
        return CameOf(tests_fail(tested.output))

    def _used_up(self, outcome: SandboxOutcome) -> StopReason | None:
        """Whether a budget for everything ended a program: all others are for each one."""
        if outcome.ending is Ending.wall_timeout and self._shell.left_s <= 0:
            return StopReason.WALL_BUDGET
        if outcome.ending is Ending.output_limit and self._shell.left_output <= 0:
            return StopReason.OUTPUT_BUDGET
        return None

    def _ended(self, outcome: SandboxOutcome) -> str:
        match outcome.ending:
            case Ending.exited:
                return f"exit code {outcome.exit_code}"
            case Ending.wall_timeout:
                return f"stopped after {self._settings.command_s:g} seconds"
            case _:
                return f"ended by force: {outcome.ending.value}"

    def _measure(self, turn: int) -> None:
        """Ask the visible tests unseen, until they pass for the first time."""
        if self.first_solved_turn is not None:
            return
        if self._tests.free_s <= 0:
            self.measured = False
            return
        if self._tests.state() in ("", self._starter):
            return
        if self._tests.ask().green:
            self.first_solved_turn = turn
