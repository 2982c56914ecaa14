"""Tables of compositions: every percentage with its counts."""

import pytest

from tests.interfaces.report.printing import printed
from tests.support.scored_samples import composed
from worldline.evaluation.metrics.composition import measure_composition
from worldline.interfaces.report.composition_text import composition_tables
from worldline.interfaces.report.number_format import part_cell, percent, points

SAMPLES = [
    *[composed("list_a", v, form="atom") for v in ("correct", "correct", "correct", "incorrect")],
    *[composed("string_b", v, form="atom") for v in ("correct", "truncated")],
    *[composed("list_a list_a", v) for v in ("correct", "incorrect", "infra_error")],
    composed("list_a list_a", "truncated", step=3),
    composed("list_a list_a", "no_answer"),
    composed("string_b", "correct", form="flat"),
    composed("string_never", "incorrect", form="flat"),
]


def rows(text: str) -> list[list[str]]:
    """The cells of the rows of all tables."""
    lines = [line for line in text.splitlines() if line.startswith("│")]
    return [[cell.strip() for cell in line.strip("│").split("│")] for line in lines]


def test_every_percentage_has_its_counts() -> None:
    cells = rows(printed(composition_tables(measure_composition(SAMPLES))))
    assert cells == [
        ["list", "75.0 (3/4)", "75.0 (3/4)", "0", "0", "0"],
        ["string", "50.0 (1/2)", "100.0 (1/1)", "0", "1 (0)", "0"],
        # 0.75² = 56.25 for both: of all 1 of 4, of answered 1 of 2.
        [
            *["list", "2", "nested", "25.0 (1/4)", "56.2 (4)", "-31.2"],
            *["50.0 (1/2)", "56.2 (2)", "-6.2", "1", "1 (1)", "1"],
        ],
        # The gap is over the one sample that has a baseline, which is correct.
        [
            *["string", "1", "flat", "50.0 (1/2)", "50.0 (1)", "+50.0"],
            *["50.0 (1/2)", "100.0 (1)", "0.0", "0", "0", "0"],
        ],
    ]


def test_compositions_without_a_baseline_are_counted() -> None:
    text = printed(composition_tables(measure_composition(SAMPLES)))
    assert "1 composition without a baseline" in text
    assert "7 compositions: correct" in text
    whole = measure_composition([s for s in SAMPLES if s.facets["data_type"] == "list"])
    assert "without a baseline" not in printed(composition_tables(whole))


def test_no_samples() -> None:
    text = printed(composition_tables(measure_composition([])), width=80)
    assert "0 compositions" in text
    assert "alone" in text
    only_failed = measure_composition([composed("set_a", "infra_error")])
    assert "– (0/0)" in printed(composition_tables(only_failed))


@pytest.mark.parametrize("width", [40, 80, 250])
def test_the_tables_fit_any_width(width: int) -> None:
    text = printed(composition_tables(measure_composition(SAMPLES)), width=width)
    assert all(len(line) <= width for line in text.splitlines())


def test_shares_and_gaps_as_cells() -> None:
    cells = [part_cell(part, whole) for part, whole in ((3, 4), (0, 0), (2, 3))]
    assert cells == ["75.0 (3/4)", "– (0/0)", "66.7 (2/3)"]
    assert part_cell(999, 1000, digits=3) == "99.900 (999/1000)"
    assert [percent(None), percent(1.0)] == ["–", "100.0"]
    gaps = [(0.5, 0.75), (0.75, 0.5), (0.49999, 0.5), (None, 0.5), (0.5, None)]
    assert [points(a, b) for a, b in gaps] == ["-25.0", "+25.0", "0.0", "–", "–"]


def test_no_cell_is_cut_at_80_columns() -> None:
    samples = [*SAMPLES, *[composed("character_c", "correct")] * 20]
    text = printed(composition_tables(measure_composition(samples), width=80), width=80)
    assert "…" not in text
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "list 2 nested 25.0 (1/4) 56.2 (4) -31.2 1 1 (1) 1" in lines
    assert "list 2 nested 50.0 (1/2) 56.2 (2) -6.2" in lines
    assert "character 1 nested 100.0 (20/20) – (0) – 0 0 0" in lines
