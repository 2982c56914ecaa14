"""Interventions by other tools, recorded with a prediction: do they support its cause?"""

from dataclasses import replace

from worldline.analysis.diagnosis import Sample
from worldline.analysis.interventions import INTERVENTIONS_BY_CAUSE

# A rewrite of the whole program removes what the rewrite of one line removes.
_WHOLE_PROGRAM = {"expressions": "expressions-line", "strings": "strings-line"}


def with_recorded_interventions(sample: Sample) -> Sample:
    """Mark the cause of a sample that recorded interventions have confirmed or refuted.

    It is not recorded where their outputs are wrong, so that one that removes the cause and does
    not make the sample correct refutes it.
    """
    cause, results = sample.diagnosis.cause, sample.prediction.interventions
    if cause is None or not results:
        return sample
    removing = set(INTERVENTIONS_BY_CAUSE.get(cause.name, ()))
    relevant = {
        name: is_correct
        for name, is_correct in results.items()
        if name in removing or _WHOLE_PROGRAM.get(name) in removing
    }
    if not relevant:
        return sample
    confirming = [name for name, is_correct in relevant.items() if is_correct]
    tested = (
        replace(cause, confirmed_by=confirming[0])
        if confirming
        else replace(cause, refuted_by=next(iter(relevant)))
    )
    return replace(sample, diagnosis=replace(sample.diagnosis, cause=tested))
