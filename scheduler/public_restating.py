"""After an upgrade: what is planned, with the public digests that agent workers work out now."""

from models.errors import FarmError
from models.schemas.task import Variant
from models.storage.public_digests import restate_public_digest, variants_in_use
from models.storage.transaction import Database
from tasks_catalog.catalog import Catalog


def restate_public_digests(database: Database, catalog: Catalog) -> int:
    """Put the public digests of open campaigns right wherever the universe is still the same.

    Returns how many variants were. Variants that are no longer in the catalogue stay as they are.
    """
    with database.read() as session:
        used = variants_in_use(session)
    present = {pk: _present(catalog, planned) for pk, planned in used.items()}
    outdated = {
        pk: now
        for pk, now in present.items()
        if now is not None and now != used[pk] and now.universe == used[pk].universe
    }
    if outdated:
        with database.transaction() as session:
            for pk, variant in outdated.items():
                restate_public_digest(session, pk, variant)
    return len(outdated)


def _present(catalog: Catalog, planned: Variant) -> Variant | None:
    try:
        return catalog.variant(planned.task, planned.language)
    except FarmError:
        return None
