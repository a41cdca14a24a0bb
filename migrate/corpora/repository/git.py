"""Git as a source of facts: plumbing commands that read, with everything switched off that could write, wait or run code.

A repository is as hostile as its texts: its own configuration may name programs (a file system monitor, a signature checker) and
remotes to fetch missing objects from. None of that runs.
"""

from __future__ import annotations

import datetime
import os
import shutil
import subprocess
from pathlib import Path

from migrate.corpora.interface import CorpusError

_HARMLESS = (
    "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.untrackedCache=false", "-c", "log.showSignature=false",
    "-c", "submodule.recurse=false", "-c", "core.quotePath=false", "-c", "protocol.allow=never",
)  # fmt: skip
_OF_ANOTHER_REPOSITORY = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR",
    "GIT_PREFIX", "GIT_NAMESPACE", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE", "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_REPLACE_REF_BASE", "GIT_TRACE", "GIT_EXTERNAL_DIFF",
)  # fmt: skip
_PATIENCE = 60
"""Seconds for one command. Git waits for ever at a pipe where it looks for a file that says what is ignored."""
_READ_BY_GIT = (".gitignore", ".git/config", ".git/info/exclude", ".git/index", ".git/HEAD")


class GitError(Exception):
    """What Git said on its way out, in one line."""


def work_tree(folder: Path) -> Path:
    """The root of the working tree that a folder lies in. Raises GitError where it lies in none, or Git does not trust it."""
    for name in _READ_BY_GIT:
        if os.path.exists(folder / name) and not os.path.isfile(folder / name):
            raise GitError(f"{name} is no regular file")
    top = _run(folder, "rev-parse", "--show-toplevel").removesuffix(b"\n")
    if not top:
        raise GitError("it lies in no working tree")
    return Path(os.fsdecode(top))


def check_root(folder: Path) -> None:
    """Nothing for a folder that is the root of a working tree; GitError where Git takes it for none, or for a part of another."""
    root = work_tree(folder)
    if os.path.realpath(root) != os.path.realpath(folder):
        raise GitError(f"Git takes it for a part of {os.fsencode(root).decode('utf-8', 'backslashreplace')}")


def listed(root: Path) -> list[str]:
    """Paths of all files that are tracked, or neither tracked nor ignored, as the file system spells them."""
    out = _run(root, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    return [os.fsdecode(name) for name in out.split(b"\0") if name]


def last_commit(folder: Path, path: str) -> float | None:
    """The committer date, in seconds since 1970, of the last commit that touched a path; None where there is none."""
    try:
        text = (
            _run(folder, "--literal-pathspecs", "log", "-1", "--no-show-signature", "--format=%cI", "--", path)
            .decode("ascii")
            .strip()
        )
        return datetime.datetime.fromisoformat(text).timestamp() if text else None
    except (GitError, ValueError, OverflowError):
        return None


def _program() -> str:
    found = shutil.which("git")
    if found is None:
        raise CorpusError("repository contexts need Git, and there is no command git in PATH; install it")
    return found


def _run(folder: Path, *arguments: str) -> bytes:
    environment = {name: value for name, value in os.environ.items() if name not in _OF_ANOTHER_REPOSITORY}
    environment |= {
        "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_PAGER": "cat", "LC_ALL": "C",
    }  # fmt: skip
    try:
        done = subprocess.run(  # noqa: S603 - no shell, and the arguments are ours
            [_program(), *_HARMLESS, *arguments], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=_PATIENCE, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise GitError(f"git {arguments[0]} gave no answer in {_PATIENCE} seconds") from error
    except OSError as error:
        raise GitError(error.strerror or str(error)) from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise GitError(said[0].removeprefix("fatal: ") if said else f"git {arguments[0]} ended with {done.returncode}")
    return done.stdout
