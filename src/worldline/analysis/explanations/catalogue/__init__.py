"""Catalogue of misconceptions, each with an example that it explains and one that it must not."""

from collections.abc import Mapping

from worldline.analysis.explanations.catalogue.containers import CONTAINER_MISCONCEPTIONS
from worldline.analysis.explanations.catalogue.control_flow import CONTROL_FLOW_MISCONCEPTIONS
from worldline.analysis.explanations.catalogue.numbers import NUMBER_MISCONCEPTIONS
from worldline.analysis.explanations.catalogue.positions import POSITION_MISCONCEPTIONS
from worldline.analysis.explanations.catalogue.strings import STRING_MISCONCEPTIONS
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
