"""Prompts for programs of other languages, from those for Python."""

from worldline.core.language import Language, get_language
from worldline.core.trace import DEFAULT_LANGUAGE

# Phrases about Python, and what is said instead: `{title}` and `{notation}` are the language's.
_PHRASES = (
    ("You execute Python programs", "You execute {title} programs"),
    ("You are given a Python program", "You are given a {title} program"),
    ("Write values as Python's repr does.", "Write values as {title} literals."),
    ("with their values as Python's repr writes them", "with their values as {title} literals"),
    ("as Python's repr would write it", "as {notation}"),
    ("as a Python literal", "as {notation}"),
    ("For a condition write True or False. For a for loop", "For a for loop"),
    ('For a condition write "True": true or "False": true. For a for loop', "For a for loop"),
    ("or done. For a return", "and nothing at its end. For a return"),
    ('or "done": true. For a return', "and nothing at its end. For a return"),
    ("with the row of its def line", "with the row of its first line"),
    ("with the line of its def", "with its first line"),
    (
        "A comprehension or a lambda has no rows of its own.",
        "{function} has rows of its own, too. A variable that goes out of scope is "
        'written as "del" and its name.',
    ),
)
# Functions without a name.
_FUNCTIONS = {
    "cpp": "A lambda",
    "java": "A lambda",
    "rust": "A closure",
    "go": "A function literal",
}


def prompt_text(text: str, language: str) -> str:
    """Instructions for Python, as they are for a language; those for Python are not changed."""
    if language == DEFAULT_LANGUAGE:
        return text
    chosen = get_language(language)
    for phrase, other in _PHRASES:
        text = text.replace(phrase, _fill(other, chosen))
    return text


def _fill(text: str, language: Language) -> str:
    function = _FUNCTIONS.get(language.name, "An arrow function")
    text = text.replace("{title}", language.title).replace("{function}", function)
    return text.replace("{notation}", language.value_notation)
