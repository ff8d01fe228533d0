"""`/api/tokens`: who may ask over HTTP."""

from typing import Annotated

from fastapi import APIRouter, Path

from models.schemas.api_token import CreatedToken, NewToken, TokenView
from models.storage.api_tokens import create_token, list_tokens, revoke_token
from scheduler.api.access import Who
from scheduler.api.change_record import ChangeRecord
from scheduler.api.problem_responses import NO_SUCH_NAME, REFUSED
from scheduler.farm_access.local_farm import LocalFarm


def tokens_router(farm: LocalFarm, record: ChangeRecord) -> APIRouter:
    """The operations below `/tokens`."""
    router = APIRouter(prefix="/tokens", tags=["tokens"])

    @router.get("", summary="All tokens that were ever made, without their secrets")
    def all_tokens() -> list[TokenView]:
        with farm.database.read() as session:
            return list_tokens(session)

    @router.post(
        "",
        status_code=201,
        summary="Make a token; its secret is told this once",
        responses=REFUSED,
    )
    def create(body: NewToken, who: Who) -> CreatedToken:
        with farm.database.transaction() as session:
            made = create_token(session, body, farm.clock.now())
        record.log(who, "create_token", created=body.name, role=body.role)
        return made

    @router.delete(
        "/{name}", summary="Let a token open nothing from now on", responses=NO_SUCH_NAME
    )
    def revoke(name: Annotated[str, Path(max_length=100)], who: Who) -> TokenView:
        with farm.database.transaction() as session:
            revoked = revoke_token(session, name, farm.clock.now())
        record.log(who, "revoke_token", revoked=name)
        return revoked

    return router
