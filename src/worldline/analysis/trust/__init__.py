"""Trust in predicted results: signals that need no execution, and a model fitted on them."""

from worldline.analysis.trust.execution_policies import row_trust
from worldline.analysis.trust.signals import (
    SIGNALS,
    Signal,
    SignalGroup,
    answer_key,
    trust_signals,
)
from worldline.analysis.trust.step_checks import CheckKind, StepCheck, check_steps
from worldline.analysis.trust.step_signals import count_legal_steps
from worldline.analysis.trust.trust_fitting import (
    GROUPS,
    Calibration,
    cross_validated_probabilities,
    fit_trust_model,
)
from worldline.analysis.trust.trust_model import Trust, TrustCase, TrustModel

__all__ = [
    "GROUPS",
    "SIGNALS",
    "Calibration",
    "CheckKind",
    "Signal",
    "SignalGroup",
    "StepCheck",
    "Trust",
    "TrustCase",
    "TrustModel",
    "answer_key",
    "check_steps",
    "count_legal_steps",
    "cross_validated_probabilities",
    "fit_trust_model",
    "row_trust",
    "trust_signals",
]
