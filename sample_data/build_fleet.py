"""Makes the fleet of ``repository_context/fleet.yml`` as Git working trees: ``python sample_data/build_fleet.py FOLDER [NAME ...]``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT.parent))

from migrate.case_trees import build  # noqa: E402 - the package lies beside this folder and need not be installed


def fleet() -> Mapping[str, Mapping[str, Any]]:
    """The trees by name."""
    trees: dict[str, Any] = yaml.safe_load((ROOT / "repository_context" / "fleet.yml").read_text("utf-8"))
    return trees


def make(folder: Path, names: Iterable[str] = ()) -> Path:
    """Make the named trees, or all of them, in a folder, and give it back; what is there already is an error."""
    chosen = tuple(names)
    for name, tree in fleet().items():
        if not chosen or name in chosen:
            build(tree, folder / name)
    return folder


def main(arguments: list[str] | None = None) -> int:
    """Make them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder for the fleet")
    parser.add_argument("names", nargs="*", help="only these repositories")
    given = parser.parse_args(arguments)
    make(given.folder, given.names)
    return 0


if __name__ == "__main__":
    sys.exit(main())
