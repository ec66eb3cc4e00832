"""The families that grow, and the sizes at which they are measured."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Family:
    """A case file with a constant for its size.

    Attributes:
        name: Short name, also of the chart.
        title: What a person calls it.
        case: The case file.
        constant: The constant that is the size.
        unit: What the size counts.
        sizes: Sizes at which the symbolic engine is measured, rising.
    """

    name: str
    title: str
    case: str
    constant: str
    unit: str
    sizes: tuple[int, ...]


FAMILIES = (
    Family(
        "pump",
        "PCA pump, property on line 1",
        "models/pca_pump/pca_pump.toml",
        "LINES",
        "lines",
        (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64),
    ),
    Family(
        "pump_every_line",
        "PCA pump, property on every line",
        "models/pca_pump/pca_pump_every_line.toml",
        "LINES",
        "lines",
        (1, 2, 3, 4, 6, 8, 12),
    ),
    Family(
        "link",
        "Sliding window, line without inventions",
        "models/link/link.toml",
        "N",
        "window",
        (1, 2, 3, 4, 5, 6, 8),
    ),
    Family(
        "token_ring",
        "Token ring",
        "models/token_ring/token_ring.toml",
        "N",
        "stations",
        (2, 3, 4, 5, 6, 8, 10, 12),
    ),
)
