"""Everything that can go wrong on our side, as one tree.

WorldlineError
├── ProgramError      a program that cannot be run as asked (no such file, bad call)
├── RecorderError     the recorder itself failed: not the program, not a limit
├── SandboxError      programs cannot be held here as asked
├── CodecError        a trace that a format cannot express, or an unknown format
├── TokenizerError    a vocabulary that is missing or unreadable
├── EngineError       a model that could not be asked, or a server that failed
└── InputError        a file given to us that does not hold what it should

A model's mistake, a cut output or a program that crashes is a result, never one of these.
"""


class WorldlineError(Exception):
    """Base of every error that worldline raises; its text says what to do next."""


class ProgramError(WorldlineError):
    """A program that cannot be run as asked."""


class RecorderError(WorldlineError):
    """The recorder failed; says nothing about the program."""


class SandboxError(WorldlineError):
    """Programs cannot be held here as asked; none was run."""


class CodecError(WorldlineError):
    """A trace that a format cannot express, or a format that does not exist."""


class TokenizerError(WorldlineError):
    """A vocabulary that is missing or unreadable."""


class EngineError(WorldlineError):
    """A model that could not be asked; says nothing about what it would have answered."""


class InputError(WorldlineError):
    """A file that does not hold what it should."""
