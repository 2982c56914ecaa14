"""Release files: contents of wheel and sdist, versions, addresses, workflows."""

import re
import tomllib
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from types import ModuleType
from typing import Any

import pytest

from hatch_build import SUPPORTED, absolute_links, project_urls
from tests.support.paths import PROJECT_ROOT
from worldline.languages.sandbox.extension_files import SUPPORTED_VERSIONS

PAGE = "worldline/interfaces/viewer/page/index.html"
TRACER = "worldline/languages/javascript/node/dist/tracer.mjs"
CHILD = "worldline/languages/python/recorder/child"
VERSIONS = ("3.11", "3.12", "3.13")
WHEEL = [
    PAGE,
    TRACER,
    *(
        f"{CHILD}/{name}.cpython-{version.replace('.', '')}-x86_64-linux-gnu.so"
        for version in VERSIONS
        for name in ("_tracer", "_sandbox_layers", "_exec_filter")
    ),
]


def script(name: str) -> ModuleType:
    """Import a script that has no suffix."""
    loader = SourceFileLoader(name, str(PROJECT_ROOT / "scripts" / name))
    spec = spec_from_loader(name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def release() -> Any:
    """The script `scripts/release`."""
    return script("release")


def test_a_wheel_needs_the_page_and_the_extensions(release: Any) -> None:
    release.check_wheel(WHEEL)
    for missing in WHEEL:
        message = re.escape(missing.rpartition("/")[2].partition(".")[0].replace("index", "page"))
        with pytest.raises(release.ReleaseError, match=message):
            release.check_wheel([name for name in WHEEL if name != missing])
    release.check_wheel(WHEEL[:5], versions=["3.11"])


def test_the_supported_versions_are_the_same_everywhere(release: Any) -> None:
    assert VERSIONS == SUPPORTED == SUPPORTED_VERSIONS == release.VERSIONS
    text = (PROJECT_ROOT / "pyproject.toml").read_text(encoding="utf-8")
    settings = tomllib.loads(text)["tool"]["cibuildwheel"]
    tags = [f"cp{version.replace('.', '')}" for version in VERSIONS]
    path = settings["linux"]["environment"]["PATH"]
    assert path == ":".join(["$PATH", *(f"/opt/python/{tag}-{tag}/bin" for tag in tags)])
    # Newer Pythons only test the wheel, after it is built.
    assert settings["build"][: len(tags)] == [f"{tag}-manylinux_*" for tag in tags]


def test_an_sdist_needs_the_page_and_the_tracer(release: Any) -> None:
    release.check_sdist([f"worldline-0.1.0/src/{name}" for name in (PAGE, TRACER)])
    with pytest.raises(release.ReleaseError, match="page"):
        release.check_sdist([f"worldline-0.1.0/src/{TRACER}"])
    with pytest.raises(release.ReleaseError, match="JavaScript tracer"):
        release.check_sdist([f"worldline-0.1.0/src/{PAGE}"])


def test_metadata_need_addresses_and_absolute_links(release: Any) -> None:
    urls = "Name: worldline\nProject-URL: Repository, https://github.com/o/n\n\n"
    release.check_metadata(f"{urls}[FAQ](https://github.com/o/n/blob/main/docs/faq.md)")
    for metadata in (f"{urls}[FAQ](docs/faq.md)", "Name: worldline\n\n"):
        with pytest.raises(release.ReleaseError, match="WORLDLINE_REPOSITORY"):
            release.check_metadata(metadata)


def test_the_version_is_in_all_files(release: Any) -> None:
    changelog = (PROJECT_ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    citation = (PROJECT_ROOT / "CITATION.cff").read_text(encoding="utf-8")
    release.check_version(release.version(), changelog, citation, is_final=False)
    with pytest.raises(release.ReleaseError, match=r"has no section 9\.9\.9"):
        release.check_version("9.9.9", changelog, citation, is_final=False)
    with pytest.raises(release.ReleaseError, match=r"CITATION\.cff"):
        release.check_version("1.0", "\n## 1.0\n", citation, is_final=False)
    text = "\n## Unreleased\n\n- new\n\n## 1.0\n"
    with pytest.raises(release.ReleaseError, match="unreleased changes"):
        release.check_version("1.0", text, "\nversion: 1.0\n", is_final=True)


def test_links_of_the_readme_are_absolute_and_exist() -> None:
    text = (PROJECT_ROOT / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]+)\)", absolute_links(text, "owner/name"))
    assert len(links) > 10
    for link in links:
        base, _, path = link.partition("/main/")
        assert base in (
            "https://github.com/owner/name/blob",
            "https://raw.githubusercontent.com/owner/name",
        )
        assert (PROJECT_ROOT / path.partition("#")[0]).exists()


def test_other_links_stay() -> None:
    text = "[a](https://a.example/b) [c](#part) ![d](e.png)"
    assert absolute_links(text, "o/n") == (
        "[a](https://a.example/b) [c](#part) ![d](https://raw.githubusercontent.com/o/n/main/e.png)"
    )


def test_addresses() -> None:
    urls = project_urls("owner/name")
    assert urls["Documentation"] == "https://owner.github.io/name/"
    assert urls["Issues"] == "https://github.com/owner/name/issues"


def test_workflows_use_scripts_that_exist() -> None:
    folder = PROJECT_ROOT / ".github" / "workflows"
    scripts = {
        name
        for path in folder.glob("*.yml")
        for name in re.findall(r"run: (scripts/\S+)", path.read_text(encoding="utf-8"))
    }
    assert scripts >= {"scripts/check", "scripts/test", "scripts/build-docs", "scripts/release"}
    assert all((PROJECT_ROOT / name).exists() for name in scripts)
