"""Keeps who asked for campaigns and who changed them, and finds a campaign by its request."""

from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from models.errors import FarmError, Refused
from models.schemas.campaign_request import CampaignChange, CampaignRequest
from models.storage.campaigns import campaign_row
from models.tables.campaign_requests import CampaignChangeRow, CampaignRequestRow
from models.tables.campaigns import CampaignRow

ASKED = "start"
"""The action that made a campaign."""


class AskedBefore(FarmError):
    """The request was carried out already, perhaps just now by somebody else."""


def campaign_of_request(session: Session, request: CampaignRequest) -> str | None:
    """The campaign that this request made, if it did.

    Raises Refused where its sender used the key for something else.
    """
    if request.key is None:
        return None
    found = session.execute(
        select(CampaignRow.id, CampaignRequestRow.digest)
        .join(CampaignRow, CampaignRow.pk == CampaignRequestRow.campaign_pk)
        .where(
            CampaignRequestRow.actor == request.actor,
            CampaignRequestRow.request_key == request.key,
        )
    ).one_or_none()
    if found is None:
        return None
    if found[1] != request.digest:
        raise Refused(
            f"the key {request.key!r} was used for {found[0]}, and what is asked now is not that.",
            remedy="Choose a fresh Idempotency-Key for every campaign.",
        )
    return found[0]


def keep_request(session: Session, campaign_id: str, request: CampaignRequest, now: float) -> None:
    """Note the request in the transaction that makes its campaign.

    Raises AskedBefore where the request made one already: nothing of the transaction may stay.
    """
    note_change(session, campaign_id, request.actor, ASKED, now)
    if request.key is None:
        return
    values = {
        "actor": request.actor,
        "request_key": request.key,
        "digest": request.digest,
        "campaign_pk": campaign_row(session, campaign_id).pk,
        "created_at": now,
    }
    try:
        session.execute(insert(CampaignRequestRow).values(**values))
    except IntegrityError as error:
        raise AskedBefore(f"the request {request.key!r} was carried out before.") from error


def note_change(session: Session, campaign_id: str, actor: str, action: str, now: float) -> None:
    """Keep who did what to a campaign. Raises NotFound."""
    pk = campaign_row(session, campaign_id).pk
    values = {"campaign_pk": pk, "actor": actor, "action": action, "changed_at": now}
    session.execute(insert(CampaignChangeRow).values(**values))


def changes_of(session: Session, campaign_id: str) -> list[CampaignChange]:
    """What was done to a campaign over HTTP, oldest first. Raises NotFound."""
    pk = campaign_row(session, campaign_id).pk
    rows = session.execute(
        select(CampaignChangeRow)
        .where(CampaignChangeRow.campaign_pk == pk)
        .order_by(CampaignChangeRow.id)
    ).scalars()
    return [CampaignChange(at=row.changed_at, actor=row.actor, action=row.action) for row in rows]
