"""The reports of the sample corpora in the repository are what the tool says of them now."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "reports" / "examples"


def script() -> ModuleType:
    """The script that builds them."""
    spec = importlib.util.spec_from_file_location("examples_build", EXAMPLES / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


BUILD = script()


@pytest.mark.parametrize("name", BUILD.EXAMPLES)
def test_an_example_is_what_the_tool_says(name: str, tmp_path: Path) -> None:
    made = BUILD.build(name, tmp_path)
    kept = {path.name: path.read_bytes() for path in (EXAMPLES / name).iterdir()}
    hint = "run `python reports/examples/build.py` and look at what changed"
    assert set(kept) == set(made), hint
    assert [file for file in sorted(made) if kept[file] != made[file]] == [], hint


def test_there_is_no_other_example() -> None:
    assert {path.name for path in EXAMPLES.iterdir() if path.is_dir() and path.name != "__pycache__"} == set(
        BUILD.EXAMPLES
    )


def test_the_examples_name_no_folder_of_their_making() -> None:
    for name in BUILD.EXAMPLES:
        for path in (EXAMPLES / name).iterdir():
            assert str(ROOT) not in path.read_text("utf-8"), path


@pytest.mark.parametrize("file", ["check.txt", "plan.txt", "diff.txt", "apply.txt"])
def test_the_texts_are_for_eighty_columns(file: str) -> None:
    for name in BUILD.EXAMPLES:
        path = EXAMPLES / name / file
        if not path.exists():
            continue
        for line in path.read_text("utf-8").splitlines():
            # Commands and paths are there to be copied and never broken.
            assert len(line) <= 80 or line.startswith(("Next ", " " * 12)), f"{path}: {line}"
