"""What `import worldline` gives."""

import worldline
from worldline import errors


def test_every_error_can_be_caught_by_its_name() -> None:
    tree = {
        name
        for name, found in vars(errors).items()
        if isinstance(found, type) and issubclass(found, errors.WorldlineError)
    }
    assert tree > {"WorldlineError", "EngineError", "InputError"}
    assert tree <= set(worldline.__all__)
    assert all(getattr(worldline, name) is getattr(errors, name) for name in tree)


def test_all_that_is_promised_is_there() -> None:
    assert worldline.__all__ == sorted(set(worldline.__all__))
    assert set(worldline.__all__) <= vars(worldline).keys()
