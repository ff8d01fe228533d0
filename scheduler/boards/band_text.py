"""Figures in words: percentages with no more digits than their bands allow."""

from collections.abc import Mapping

from models.schemas.band import Band, VoidEnvelope


def band_text(band: Band) -> str:
    """The estimate and its band in percent, as in `81% [75, 86]`; "no evidence" without runs."""
    if band.estimate is None:
        return "no evidence"
    return f"{percent(band.estimate, band.half_width)}% {bounds_text(band)}"


def bounds_text(band: Band) -> str:
    """Both ends of a band in percent, as in `[75, 86]`."""
    half = band.half_width
    return f"[{percent(band.low, half)}, {percent(band.high, half)}]"


def sample_text(band: Band) -> str:
    """The sample behind a band, as in `n 142, 2 void`."""
    return f"n {band.n}, {band.voids} void"


def envelope_text(envelope: VoidEnvelope) -> str:
    """What the lost runs leave open, in percent."""
    half = (envelope.high - envelope.low) / 2
    worst, best = percent(envelope.worst_estimate, half), percent(envelope.best_estimate, half)
    low, high = percent(envelope.low, half), percent(envelope.high, half)
    return f"{worst}% to {best}% (all failed to all passed), envelope [{low}, {high}]"


def categories_text(counts: Mapping[str, int]) -> str:
    """Counts by category, the most frequent first, as in `gateway 2, worker_lost 1`."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{category} {count}" for category, count in ordered if count)


def percent(value: float, half_width: float) -> str:
    """`value` in percent: no decimal when the half-width exceeds five points, else one.

    Exactly none and exactly all need no decimal to be told from nearly.
    """
    decimals = 0 if half_width > 0.05 or value in (0.0, 1.0) else 1
    return f"{100.0 * value:.{decimals}f}"
