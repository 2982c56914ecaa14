"""Playground: a page that diagnoses a prediction in the browser, with Pyodide."""

from worldline.interfaces.playground.diagnosis_request import answer_request
from worldline.interfaces.playground.page_settings import EXAMPLES, playground_settings

__all__ = ["EXAMPLES", "answer_request", "playground_settings"]
