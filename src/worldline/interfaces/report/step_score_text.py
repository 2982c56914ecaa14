"""Step scores as text: one-step accuracy of a run, and the NLL of every step of a sample."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from worldline.analysis.diagnosis import Sample
from worldline.core.trace import EVENT_MARKS
from worldline.core.util.text import truncate_text
from worldline.evaluation.metrics.one_step_accuracy import OneStepAccuracy
from worldline.interfaces.report.number_format import share_text
from worldline.models.prediction import StepScore

# Eighths of a block: a bar of ten cells has eighty lengths.
_BLOCKS = " ▏▎▍▌▋▊▉█"
_CELLS = 10


def one_step_accuracy_lines(accuracy: OneStepAccuracy) -> Iterator[Text]:
    """Yield the one-step accuracy of a run.

    actions            4,790 of 4,812: 99.5% (95% interval 99.3 to 99.7)
    """
    yield Text("One-step accuracy, given the actual steps before", "bold")
    yield Text(f"actions            {share_text(accuracy.actions)}")
    yield Text(f"states             {share_text(accuracy.states)}")
    yield Text(f"whole steps        {share_text(accuracy.steps)}")
    yield Text(
        f"NLL per token      {accuracy.action_surprise:.4f} nats in actions, "
        f"{accuracy.state_surprise:.4f} in states"
    )


def step_score_lines(sample: Sample, *, width: int) -> Iterator[Text]:
    """Yield the NLL of the action and of the state of every step, in nats, with bars.

    ✗ marks steps that are not the model's first choice.
    """
    record = sample.prediction.generation
    scores = record.scores if record else ()
    if not scores:
        return
    alignment = sample.diagnosis.facts.alignment
    # Steps inside comprehensions may be left out.
    steps = (sample.actual if alignment is None else alignment.actual).steps
    largest = max(max(score.action_surprise, score.state_surprise) for score in scores) or 1.0
    yield Text(f"{own_choice_text(scores)}; NLL in nats", "bold")
    source_width = max(20, min(50, width - 57))
    yield Text(f"step   {'':{source_width}}  {'action':>22}  {'state':>22}", "dim")
    for number, score in enumerate(scores):
        # The last score is that of the end of the trace.
        line = "the end"
        if number < len(steps):
            step = steps[number]
            line = f"{EVENT_MARKS[step.event]} {sample.actual.source_line(step)}"
        text = Text(f"{number:>4}   {truncate_text(line, source_width):{source_width}}")
        yield text.append_text(_score_cells(score, largest))


def own_choice_text(scores: Sequence[StepScore]) -> str:
    """ "7 of 8 steps are the model's own choice" """
    written = [score for score in scores if score.action_tokens or score.state_tokens]
    chosen = sum(score.is_action_greedy and score.is_state_greedy for score in written)
    return f"{chosen:,} of {len(written):,} steps are the model's own choice"


def _score_cells(score: StepScore, largest: float) -> Text:
    text = Text()
    for nll, is_greedy, tokens in (
        (score.action_surprise, score.is_action_greedy, score.action_tokens),
        (score.state_surprise, score.is_state_greedy, score.state_tokens),
    ):
        mark, style = ("", "") if is_greedy else ("✗", "red")
        cell = f"{nll:8.2f} {mark:1} {bar(nll / largest)}" if tokens else " " * 21
        text.append(f"  {cell:22}", style)
    return text


def bar(share: float) -> str:
    """A bar of up to ten cells.

    0.25 -> "██▌       "
    """
    eighths = round(max(0.0, min(1.0, share)) * _CELLS * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_BLOCKS[rest] if rest else "")).ljust(_CELLS)
