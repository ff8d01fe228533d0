"""The errors of operations as their description tells them. Each example is one that occurs."""

from typing import Any

from scheduler.api.problem_details import MEDIA_TYPE

Responses = dict[int | str, dict[str, Any]]
SCHEMA = {"$ref": "#/components/schemas/Problem"}


def problem_response(status: int, description: str, example: dict[str, Any]) -> Responses:
    """One documented error; its example is completed with its status."""
    shown = {"title": description, "status": status, "retryable": status == 503, **example}
    content = {MEDIA_TYPE: {"schema": SCHEMA, "example": shown}}
    return {status: {"description": description, "content": content}}


def _farm(kind: str, detail: str, remedy: str, exit_code: int) -> dict[str, Any]:
    return {
        "type": f"urn:gradefarm:problem:{kind}",
        "detail": detail,
        "remedy": remedy,
        "blame": "user",
        "exit_code": exit_code,
        "faults": [],
    }


LOGIN_NEEDED = problem_response(
    401,
    "No token, or none that is good now",
    _farm(
        "login-needed",
        "this needs a token with the role read.",
        "Send it as `Authorization: Bearer …`; `gradefarm tokens create` makes one.",
        4,
    ),
)
ROLE_NEEDED = problem_response(
    403,
    "The token's role is not enough",
    _farm(
        "role-needed",
        "grafana may read, and this needs the role schedule.",
        "Ask an administrator for a token with the role schedule.",
        4,
    ),
)
FOREIGN_NAME = problem_response(
    421,
    "Without a token, the server answers to names of its machine alone",
    _farm(
        "foreign-name",
        "this server does not answer to the name 'evil.example'.",
        "Ask for 127.0.0.1 or localhost, or with a token.",
        4,
    ),
)
MALFORMED = problem_response(
    422,
    "A parameter or the body has the wrong shape",
    {
        **_farm(
            "invalid-request",
            "query.limit: Input should be less than or equal to 1000",
            "See /api/docs for what each parameter takes.",
            2,
        ),
        "faults": [
            {
                "field": "query.limit",
                "problem": "Input should be less than or equal to 1000",
                "remedy": "give a value of that kind",
            }
        ],
    },
)
UNAVAILABLE = problem_response(
    503,
    "The farm can't answer now; the same request may do well a moment later",
    {
        **_farm("infrastructure", "the database does not answer now.", "Ask again in a moment.", 5),
        "blame": "farm",
    },
)
OWN_FAULT = problem_response(
    500,
    "A fault of gradefarm itself",
    {
        "type": "about:blank",
        "detail": "a fault of gradefarm itself (KeyError)",
        "remedy": "The server's log has the details.",
        "blame": "farm",
        "exit_code": 1,
        "faults": [],
    },
)
BODY_PROBLEMS = problem_response(
    408,
    "The body did not arrive in time",
    _farm("too-slow", "the request: 1 fault", "send it without pauses", 2),
) | problem_response(
    413,
    "The body is too large",
    _farm("too-large", "the request: 1 fault", "send 4 MiB at most", 2),
)
NO_SUCH_CAMPAIGN = problem_response(
    404,
    "There is no such campaign",
    _farm(
        "not-found",
        "there is no campaign never-1.",
        "`gradefarm campaign list` shows the campaigns of this farm.",
        3,
    ),
)
NO_SUCH_RUN = problem_response(
    404,
    "There is no such run, or it has not come that far",
    _farm(
        "not-found",
        "there is no run 4711.",
        "`gradefarm runs list` shows the runs of a campaign with their numbers.",
        3,
    ),
)
NO_SUCH_NAME = problem_response(
    404,
    "Something was named that the farm does not hold",
    _farm("not-found", "there is no task never.", "Known: circuit-breaker.", 3),
)
NO_SUCH_ARTIFACT = problem_response(
    404,
    "There is no such artifact",
    _farm(
        "not-found",
        "'never' is not the digest of an artifact.",
        "Give sha256: and 64 lower-case hexadecimal digits.",
        3,
    ),
)
REFUSED = problem_response(
    409,
    "A promise of the farm stands against it",
    _farm(
        "refused",
        "demo-2 is finished and can't become paused.",
        "`gradefarm campaign status demo-2` shows where it is.",
        4,
    ),
)
BAD_CURSOR = problem_response(
    400,
    "The cursor is of no page of this list",
    {
        **_farm("invalid-input", "the request: 1 fault", "", 2),
        "faults": [
            {
                "field": "query.cursor",
                "problem": "no cursor of this list",
                "remedy": "take it from `next` of the page before, or leave it out",
            }
        ],
    },
)
BAD_CAMPAIGN = problem_response(
    400,
    "The campaign has faults, all of which are named",
    {
        **_farm("invalid-input", "the campaign: 2 faults", "", 2),
        "faults": [
            {
                "field": "#/spec/repeats",
                "problem": "too small (it is 0)",
                "remedy": "write a whole number from 1 to 100000, for example repeats = 8",
            },
            {
                "field": "#/spec/systems/0/agent",
                "problem": "there is no agent 'comand'",
                "remedy": "did you mean 'command'?",
            },
        ],
    },
)
BAD_PAIR = problem_response(
    400,
    "Neither two universes nor a variant are named",
    {
        **_farm("invalid-input", "the request: 1 fault", "", 2),
        "faults": [
            {
                "field": "query.after",
                "problem": "missing",
                "remedy": "give before and after, or task and language",
            }
        ],
    },
)
