"""HTML through the registry: only what was registered, loaded at the first use."""

import subprocess
import sys

import pytest

from worldline.core import display
from worldline.core.display import register_html, register_html_loader, render_html


class Shape:
    """A class to render."""


class Circle(Shape):
    """Its subclass."""


@pytest.fixture(autouse=True)
def empty_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display, "_functions", {})
    monkeypatch.setattr(display, "_loaders", [])


def test_an_object_without_a_function_has_no_html() -> None:
    assert render_html(Shape()) is None


def test_a_subclass_uses_the_function_of_its_base_class() -> None:
    register_html(Shape, lambda _: "shape")
    assert render_html(Circle()) == "shape"
    register_html(Circle, lambda _: "circle")
    assert (render_html(Circle()), render_html(Shape())) == ("circle", "shape")


def test_a_loader_is_called_once_and_at_the_first_rendering() -> None:
    calls: list[str] = []

    def load() -> None:
        calls.append("load")
        register_html(Shape, lambda _: "shape")

    register_html_loader(load)
    assert calls == []
    assert [render_html(Shape()), render_html(Shape())] == ["shape", "shape"]
    assert calls == ["load"]


def test_importing_worldline_does_not_import_the_notebook_module() -> None:
    code = "import sys, worldline; print('worldline.interfaces.notebook' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
