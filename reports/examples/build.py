"""What the tool says of the sample corpora, written anew: ``python reports/examples/build.py`` from anywhere.

Each folder beside this file is one corpus with one set of options. Everything is made by the commands themselves, in a
folder of their own and 80 columns wide; only what differs from run to run is put to fixed values: the time a plan was
made, the seconds a run took, the names of runs. A test makes them again and compares.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from click.testing import CliRunner

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SAMPLES = Path("sample_data", "context_server")
KATA = Path("sample_data", "kata")
FLEET = "fleet"
sys.path[:0] = [str(ROOT), str(ROOT / "sample_data")]

import build_fleet  # noqa: E402 - it lies in the sample's folder
from migrate.cli.main import PROGRAM, cli  # noqa: E402 - the package lies beside this script and need not be installed


@dataclass(frozen=True, slots=True)
class Example:
    """A corpus and the options of its plan; ``checked`` where a check says something that no other example has."""

    corpus: str
    options: tuple[str, ...] = ()
    checked: bool = True
    target: tuple[str, ...] = ("-o", "repaired.jsonl")
    folder: Path = SAMPLES


EXAMPLES: Mapping[str, Example] = {
    "entries": Example("entries.jsonl"),
    "entries-unsafe": Example("entries.jsonl", ("--unsafe-fixes",), checked=False),
    "entries_uuid": Example("entries_uuid.jsonl", ("--id-map", (SAMPLES / "id_map.json").as_posix())),
    "clean": Example("clean.jsonl"),
    "kata": Example("export.jsonl", ("--unsafe-fixes",), folder=KATA),
    "fleet": Example(
        FLEET, ("--init-absent", "--unsafe-fixes", "--ignore", "MANIFEST003"), target=("--in-place", "--yes")
    ),
}

NOW = 1_793_448_000
"""The clock of the examples, in seconds since 1970: a day in October 2026."""

CHECKED = {"jsonl": "check.jsonl", "github": "check.github.txt"}
"""Formats of a check, and the files that hold them."""
DRAWN = ("report.html", "report.json", "report.sarif", "report.junit.xml")
"""What is drawn of the plan, each in the format of its suffix."""

_FIXED = (
    (re.compile(r'("created_at": ?")[^"]+(")(?=[,}]\s*$)', re.MULTILINE), r"\g<1>2026-01-01T00:00:00Z\2"),
    (re.compile(r"\bmade \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "made 2026-01-01T00:00:00Z"),
    (re.compile(r", \d+\.\d s$", re.MULTILINE), ", 0.0 s"),
    (re.compile(r"\b(sweep\s+of\s+)\d{4}-\d\d-\d\d(\s+)\d\d:\d\d"), r"\g<1>2026-01-01\g<2>00:00"),
    (re.compile(r"\b\d{8}T\d{6}Z-[0-9a-f]{8}\b"), "20260101T000000Z-00000000"),
)


def build(name: str, folder: Path) -> dict[str, bytes]:
    """The files of an example by name; ``folder`` is empty and takes what the commands write."""
    example = EXAMPLES[name]
    corpus = _corpus(example, folder)
    made = {}
    # The age of a state file is told in days, and commits do not grow older here.
    with chdir(folder), patch("time.time", lambda: NOW):
        if example.checked:
            made["check.txt"] = _run("check", corpus, *example.options)
            for name, file in CHECKED.items():
                made[file] = _run(
                    "check", corpus, *example.options, "--no-baseline", "--workspace", f"of-{name}", "--format", name
                )
        made["plan.txt"] = _run("plan", corpus, *example.options, "-o", "plan.jsonl")
        made["plan.jsonl"] = Path("plan.jsonl").read_text("utf-8")
        folder = next(Path("reports").glob("*/plans/*"))
        made["report.md"] = (folder / "report.md").read_text("utf-8")
        for file in DRAWN:
            _run("report", str(folder), "-o", file, "--reproducible")
            made[file] = Path(file).read_text("utf-8")
        made["diff.txt"] = _run("show", "plan.jsonl", "--diff")
        made["apply.txt"] = _run("apply", "plan.jsonl", *example.target)
    return {file: _settled(text).encode() for file, text in made.items()}


def _corpus(example: Example, folder: Path) -> str:
    """Put the sample into the folder; its path as it is typed there."""
    if example.corpus == FLEET:
        build_fleet.make(folder / FLEET)
        return FLEET
    shutil.copytree(ROOT / example.folder, folder / example.folder)
    return (example.folder / example.corpus).as_posix()


def _run(*arguments: str) -> str:
    own = {name: None for name in os.environ if name.startswith("CORPUS_MIGRATE_")}
    result = CliRunner().invoke(cli, arguments, prog_name=PROGRAM, env={**own, "COLUMNS": "80"})
    if result.exit_code not in (0, 1):
        raise RuntimeError(f"{' '.join(arguments)}: {result.exit_code}: {result.stderr}")
    return result.stdout


def _settled(text: str) -> str:
    for pattern, fixed in _FIXED:
        text = pattern.sub(fixed, text)
    return text


def main() -> None:
    """Write every example into its folder."""
    for name in EXAMPLES:
        with tempfile.TemporaryDirectory() as folder:
            made = build(name, Path(folder))
        shutil.rmtree(HERE / name, ignore_errors=True)
        (HERE / name).mkdir()
        for file, content in made.items():
            (HERE / name / file).write_bytes(content)
        print(f"{name}: {', '.join(sorted(made))}")


if __name__ == "__main__":
    main()
