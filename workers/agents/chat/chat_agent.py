"""The farm's own agent: asks a language model, does what it says in the sandbox, and asks again."""

from models.errors import Infrastructure
from models.schemas.budget import Resource, in_units
from models.schemas.chat_settings import ChatSettings
from models.schemas.transcript import Fate
from models.verdicts import StopReason, VoidCategory
from tasks_catalog.file_tree import read_files
from workers.agents.adapter import AgentContext, AgentEnding
from workers.agents.chat.chat_hands import ChatHands
from workers.agents.chat.conversation import Conversation, Heard
from workers.agents.chat.judging import (
    Judged,
    Progress,
    after,
    judge,
    one_too_many,
    used_up,
    warning,
)
from workers.agents.chat.model_client import ModelClient, NoReply
from workers.agents.chat.model_line import ModelLine, OutOfTime
from workers.agents.chat.prompts import first_message, nudge, system_prompt
from workers.agents.chat.replies import Reply
from workers.agents.model_needs import EXHAUSTED, ModelNeeds

BUDGET_REFUSED = 402
GATEWAY_FAILED = 500
CONFIGURATION = (401, 403, 404)
"""The gateway, or the provider behind it, knows neither key nor model: the farm's to set right."""


class ChatAgent:
    """One conversation for each run, which ends with it."""

    needs_shell = True

    def __init__(self, settings: ChatSettings) -> None:
        self._settings = settings

    @property
    def model_needs(self) -> ModelNeeds:
        """Its one model."""
        settings = self._settings
        caps = in_units(settings.cost_usd, settings.tokens, None)
        return ModelNeeds((settings.model,), caps.get(Resource.COST), caps.get(Resource.TOKENS))

    def run(self, context: AgentContext) -> AgentEnding:
        """Talk with the model until it is done or a limit is reached.

        Raises Infrastructure where the farm or the provider failed, StageStopped when it is to stop
        at once.
        """
        return _Talk(self._settings, self.model_needs, context).run()


class _Talk:
    """The conversation of one run."""

    def __init__(self, settings: ChatSettings, needs: ModelNeeds, context: AgentContext) -> None:
        shell, tests, model = context.shell, context.tests, context.model
        assert shell is not None, "the stage gives a shell to every agent that needs one"
        assert tests is not None, "whoever has a shell has tests"
        assert model is not None, "the stage gives a model to every agent that needs one"
        self._settings = settings
        self._shell = shell
        if settings.wall_s is not None:
            shell.lower_wall(settings.wall_s)
        self._line = ModelLine(model, shell, needs.within(context.order.limits))
        self._client = ModelClient(model, settings)
        self._hands = ChatHands(settings, shell, tests)
        seed = settings.seed
        self._seed = None if seed is None else seed + context.order.repeat - 1
        self._progress = Progress()
        self._conversation = Conversation(
            system_prompt(settings), (Heard(_first_message(settings, context)),)
        )

    def run(self) -> AgentEnding:
        """Turn by turn, to the end."""
        stop = None
        while stop is None:
            stop = self._turn()
        return AgentEnding(
            stop,
            self._shell.steps,
            fates=self._progress.fates,
            first_solved_turn=self._hands.first_solved_turn,
            measured=self._hands.measured,
        )

    def _turn(self) -> StopReason | None:
        """One reply and what is done about it; the reason to stop, if there is one now."""
        spent = self._line.spent()
        if (reason := used_up(self._progress, spent, self._settings)) is not None:
            self._shell.note("limit", f"the budget is used up: {reason.value}")
            return reason
        try:
            reply = self._client.ask(self._conversation, self._seed, self._line)
        except OutOfTime:
            self._line.look()
            self._shell.note("limit", "the time was used up before the model had answered")
            return StopReason.WALL_BUDGET
        report = self._line.look()
        if report.fault is not None:
            raise Infrastructure(report.fault.category, report.fault.detail)
        if isinstance(reply, NoReply):
            return self._no_reply(reply)
        return self._heard(reply)

    def _no_reply(self, answer: NoReply) -> StopReason:
        report = self._line.look()
        exhausted = report.exhausted
        if exhausted and not report.tokens:
            raise Infrastructure(
                VoidCategory.OPERATOR,
                f"the run's limit of {exhausted} has no room for a single call.",
                remedy="Raise agent_cost_usd or agent_tokens, or lower reply_tokens.",
            )
        if answer.status == BUDGET_REFUSED or (not answer.status and exhausted):
            self._shell.note("limit", "the gateway refused the call: the budget is used up")
            return EXHAUSTED[exhausted or "cost"]
        if answer.status in CONFIGURATION or not answer.status or answer.status >= GATEWAY_FAILED:
            raise Infrastructure(
                VoidCategory.GATEWAY,
                f"the gateway answered {answer.status or 'nothing'}: {answer.detail[:500]}",
                remedy="Look at its file and its log.",
            )
        # What the provider would not take is the system's own: a conversation that is too long.
        self._shell.note("note", f"the model's provider answered {answer.status}: {answer.detail}")
        return StopReason.AGENT_CRASHED

    def _heard(self, reply: Reply) -> StopReason | None:
        judged = judge(reply, self._settings)
        self._progress = after(self._progress, reply, judged)
        self._note_reply(reply, judged)
        if self._progress.cut > self._settings.nudges:
            told = f"the model's provider broke off {self._progress.cut} replies in a row"
            raise Infrastructure(VoidCategory.PROVIDER_UNAVAILABLE, told)
        if judged.fate is not Fate.ACTED_ON:
            why = one_too_many(self._progress, self._settings)
            if why is not None:
                self._shell.note("limit", why)
                return StopReason.REPEATED_MALFORMED
            self._tell(reply, judged.fate, nudge(judged.why, self._settings))
            return None
        came_of = self._hands.act(judged.actions, self._progress.turns)
        if came_of.stop is None:
            self._tell(reply, judged.fate, came_of.told)
        return came_of.stop

    def _tell(self, reply: Reply, fate: Fate, told: str) -> None:
        warned = warning(self._progress, self._line.spent(), self._settings)
        if warned:
            told = f"{told}\n\n{warned}"
            self._shell.note("limit", warned)
        self._conversation = self._conversation.followed(reply, fate, told)

    def _note_reply(self, reply: Reply, judged: Judged) -> None:
        self._shell.note(
            "message",
            reply.text,
            data={
                "turn": self._progress.turns,
                "stop": reply.stop,
                "fate": judged.fate.value,
                "why": judged.why,
                "seed": self._seed,
                "calls": [
                    {"id": one.id, "name": one.name, "arguments": one.arguments}
                    for one in reply.calls
                ],
            },
        )


def _first_message(settings: ChatSettings, context: AgentContext) -> str:
    files: list[tuple[str, str | None]] = []
    for path, content in sorted(read_files(context.public.starter).items()):
        try:
            files.append((path, content.decode("utf-8")))
        except UnicodeDecodeError:
            files.append((path, None))
    command = " ".join(context.language.test.argv)
    return first_message(settings, context.public.ticket, command, files)
