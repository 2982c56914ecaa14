"""Results of the mode `on-demand` as text."""

from collections.abc import Iterator

from rich.text import Text

from worldline.evaluation.metrics import OnDemandResults
from worldline.interfaces.report.number_format import share_text


def on_demand_lines(results: OnDemandResults) -> Iterator[Text]:
    """Yield how many steps were executed, and how many predicted steps are right.

    executed           812 of 4,812: 16.9% (95% interval 15.8 to 18.0)
    """
    yield Text(
        f"Interpreter on demand, policy {results.policy}, threshold {results.threshold:g}", "bold"
    )
    yield Text(f"executed           {share_text(results.executed)}")
    yield Text(f"  needlessly       {share_text(results.needless)}")
    yield Text(f"predicted right    {share_text(results.predicted)}")
