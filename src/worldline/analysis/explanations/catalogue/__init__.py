"""Catalogue of misconceptions, each with an example that it explains and one that it must not."""

from collections.abc import Mapping

from worldline.analysis.explanations.catalogue.container_misconceptions import (
    CONTAINER_MISCONCEPTIONS,
)
from worldline.analysis.explanations.catalogue.control_flow_misconceptions import (
    CONTROL_FLOW_MISCONCEPTIONS,
)
from worldline.analysis.explanations.catalogue.number_misconceptions import NUMBER_MISCONCEPTIONS
from worldline.analysis.explanations.catalogue.position_misconceptions import (
    POSITION_MISCONCEPTIONS,
)
from worldline.analysis.explanations.catalogue.string_misconceptions import STRING_MISCONCEPTIONS
from worldline.analysis.explanations.misconception import Misconception

MISCONCEPTIONS: Mapping[str, Misconception] = {
    misconception.name: misconception
    for misconception in (
        *STRING_MISCONCEPTIONS,
        *POSITION_MISCONCEPTIONS,
        *NUMBER_MISCONCEPTIONS,
        *CONTAINER_MISCONCEPTIONS,
        *CONTROL_FLOW_MISCONCEPTIONS,
    )
}

__all__ = ["MISCONCEPTIONS"]
