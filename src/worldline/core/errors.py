"""Error classes of worldline.

WorldlineError
├── ProgramError      a program cannot be executed as requested (no such file, invalid call)
├── RecorderError     the recorder itself failed: not the program, and not a limit
├── SandboxError      the requested sandbox is not available on this machine
├── CodecError        a codec cannot encode a trace, or there is no codec of that name
├── TokenizerError    a tokenizer is missing or cannot be read
├── EngineError       a model or a server could not be used
├── MalformedRepliesError  a model writes nothing of the format that it was asked for
├── CostLimitError    the predictions have cost as much as they may
├── ExpressionError   an expression cannot be evaluated over recorded values
└── InputError        a file does not contain what it should

A model's mistake, a truncated output or a program that crashes is a result, never an error.
"""


class WorldlineError(Exception):
    """Base class of all errors of worldline; its text says what to do next."""


class ProgramError(WorldlineError):
    """A program that cannot be executed as requested."""


class RecorderError(WorldlineError):
    """A failure of the recorder itself; it says nothing about the program."""


class SandboxError(WorldlineError):
    """The requested sandbox is not available; nothing was executed."""


class CodecError(WorldlineError):
    """A trace that a codec cannot encode, or an unknown codec."""


class TokenizerError(WorldlineError):
    """A tokenizer that is missing or cannot be read."""


class EngineError(WorldlineError):
    """A model or server that could not be used; it says nothing about the model's answer."""


class MalformedRepliesError(WorldlineError):
    """Too many replies in a row without anything of the format; earlier predictions are kept."""


class CostLimitError(WorldlineError):
    """Predictions that cost as much as the limit; earlier predictions are kept."""


class ExpressionError(WorldlineError):
    """An expression that cannot be evaluated over recorded values."""


class InputError(WorldlineError):
    """A file that does not contain what it should."""
