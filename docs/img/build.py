"""The screenshots of the HTML report, drawn anew: ``python docs/img/build.py`` from anywhere, with a Chromium installed."""

from __future__ import annotations

import sys
import tempfile
from contextlib import chdir
from pathlib import Path

from click.testing import CliRunner

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SAMPLE = ROOT / "sample_data" / "context_server" / "entries.jsonl"
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "browser")]

import chromium  # noqa: E402 - the helper of the browser tests

from migrate.cli.main import cli  # noqa: E402 - the package lies beside this script and need not be installed

PICTURES = (
    ("report-1280.png", 1280, 1000, False),
    ("report-1280-dark.png", 1280, 1000, True),
    ("report-400.png", 400, 900, False),
)
"""Name, width and height in pixels, and whether in dark colours."""


def report(folder: Path) -> Path:
    """The report of the sample after four sweeps in which it grew."""
    with chdir(folder):
        lines = SAMPLE.read_bytes().splitlines(keepends=True)
        for left in (120, 60, 30):
            Path("entries.jsonl").write_bytes(b"".join(lines[:-left]))
            CliRunner().invoke(cli, ["check", "entries.jsonl"])
        Path("entries.jsonl").write_bytes(b"".join(lines))
        CliRunner().invoke(cli, ["plan", "entries.jsonl"])
        (made,) = Path("reports").glob("*/plans/*")
        return folder / made / "report.html"


def main() -> None:
    """Write every picture."""
    program = chromium.found()
    if program is None:
        sys.exit("there is no Chromium here; on Debian: apt-get install chromium")
    with tempfile.TemporaryDirectory() as name, chromium.browser(program) as page:
        made = report(Path(name))
        for picture, width, height, dark in PICTURES:
            page.open(made, width=width, height=height, dark=dark)
            (HERE / picture).write_bytes(page.picture())
            print(picture)


if __name__ == "__main__":
    main()
