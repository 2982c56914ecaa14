"""Scored samples go in; how the model took their true steps comes out, counted or a line each."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from worldline.diagnose import Sample, shorten
from worldline.measures.scored import ScoredSteps
from worldline.predict import StepScore
from worldline.report.numbers import share_text
from worldline.trace import MARKS

# Eighths of a block, so that a bar of ten cells has eighty heights.
_BLOCKS = " ▏▎▍▌▋▊▉█"
_CELLS = 10


def scored_lines(found: ScoredSteps) -> Iterator[Text]:
    """The one-step accuracy of a run.

    actions            4,790 of 4,812: 99.5% (95% interval 99.3 to 99.7)
    """
    yield Text("One step at a time, the truth before it given", "bold")
    yield Text(f"actions            {share_text(found.actions)}")
    yield Text(f"states             {share_text(found.states)}")
    yield Text(f"whole steps        {share_text(found.steps)}")
    yield Text(
        f"surprise a token   {found.action_surprise:.4f} nats in actions, "
        f"{found.state_surprise:.4f} in states"
    )


def score_lines(sample: Sample, *, width: int) -> Iterator[Text]:
    """The surprise at each step, at its action and at its state, in nats, with bars.

    ✗ marks what the model would have written otherwise.
    """
    asked = sample.prediction.asked
    scores = asked.scores if asked else ()
    if not scores:
        return
    steps = sample.truth.steps
    most = max(max(score.action_surprise, score.state_surprise) for score in scores) or 1.0
    yield Text(f"{own_choice_text(scores)}; surprise in nats", "bold")
    source_width = max(20, min(50, width - 50))
    yield Text(f"step   {'':{source_width}}  {'action':>22}  {'state':>22}", "dim")
    for number, score in enumerate(scores):
        # What comes behind the last step is the end of the trace.
        line = "the end"
        if number < len(steps):
            step = steps[number]
            line = f"{MARKS[step.event]} {sample.truth.source_line(step)}"
        text = Text(f"{number:>4}   {shorten(line, source_width):{source_width}}")
        yield text.append_text(_part(score, most))


def own_choice_text(scores: Sequence[StepScore]) -> str:
    """ "7 of 8 steps are the model's own choice" """
    right = sum(score.is_action_greedy and score.is_state_greedy for score in scores)
    return f"{right:,} of {len(scores):,} steps are the model's own choice"


def _part(score: StepScore, most: float) -> Text:
    text = Text()
    for surprise, is_greedy, tokens in (
        (score.action_surprise, score.is_action_greedy, score.action_tokens),
        (score.state_surprise, score.is_state_greedy, score.state_tokens),
    ):
        mark, style = ("", "") if is_greedy else ("✗", "red")
        shown = f"{surprise:8.2f} {mark:1} {bar(surprise / most)}" if tokens else " " * 21
        text.append(f"  {shown:22}", style)
    return text


def bar(share: float) -> str:
    """A bar of up to ten cells.

    0.25 -> "██▌       "
    """
    eighths = round(max(0.0, min(1.0, share)) * _CELLS * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_BLOCKS[rest] if rest else "")).ljust(_CELLS)
