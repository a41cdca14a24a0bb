"""Git working trees as data: a dictionary of files, commits and links becomes a repository, for rule cases, samples and tests.

A tree has ``standard`` (scopes that get the whole standard layout, with a state that says something, each without the paths in
``without``), ``files`` (path to content), ``git`` (None for a plain folder; ``commits``, ``nested``, ``nested_commit``, ``nested_after``),
then ``after_remove`` (paths) and ``after`` (files again). A content is text, {"base64": text}, {"repeat": [text, number]}, {"symlink": target} with ``<root>`` for
the tree's absolute path, {"dir": true} or {"fifo": true}. A commit has ``files``, ``remove``, ``add`` (paths, all by default),
``date`` and ``author_date``, and ``empty`` where it may change nothing.
"""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Any

from migrate.corpora.repository.layout import STATE_FILE, TEMPLATES

_NAMES = {"GIT_AUTHOR_NAME": "case", "GIT_COMMITTER_NAME": "case", "GIT_AUTHOR_EMAIL": "", "GIT_COMMITTER_EMAIL": ""}
_UNTOUCHED = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
_SETTINGS = (
    "-c", "init.defaultBranch=main", "-c", "core.autocrlf=false", "-c", "commit.gpgSign=false", "-c", "protocol.file.allow=always",
    "-c", "advice.addEmbeddedRepo=false",
)  # fmt: skip


def build(tree: Mapping[str, Any], root: Path) -> Path:
    """Make the tree in a folder that does not exist yet, and give it back. Needs the command ``git``."""
    root.mkdir(parents=True)
    write(root, standard(tree.get("standard") or (), tree.get("without") or ()))
    write(root, tree.get("files") or {})
    repository = tree.get("git", {})
    if repository is not None:
        git(root, "init", "-q")
        _nest(root, repository.get("nested") or ())
        for path in repository.get("nested_commit") or ():
            _commit(root / path, {"date": "2026-01-01T00:00:00Z"})
        for commit in repository.get("commits") or ():
            _commit(root, commit)
        _nest(root, repository.get("nested_after") or ())
    for path in tree.get("after_remove") or ():
        _remove(root / path)
    write(root, tree.get("after") or {})
    return root


def standard(scopes: Iterable[str], without: Container[str] = ()) -> dict[str, str]:
    """The files of the standard layout in each scope, the state filled in, so that nothing is found in them."""
    files = {**TEMPLATES, STATE_FILE: "# Current State\n\n## Current focus\n\nShipping.\n"}
    named = {f"{scope}/{path}".removeprefix("./"): text for scope in scopes for path, text in files.items()}
    return {path: text for path, text in named.items() if path not in without}


def write(root: Path, files: Mapping[str, Any]) -> None:
    """Write files, links and folders; parents are made."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        match content:
            case str():
                path.write_bytes(content.encode("utf-8", "surrogatepass"))
            case {"repeat": [text, number]}:
                path.write_bytes((text * number).encode())
            case {"base64": text}:
                path.write_bytes(base64.b64decode(text))
            case {"symlink": target}:
                path.unlink(missing_ok=True)
                path.symlink_to(target.replace("<root>", str(root)))
            case {"dir": True}:
                path.mkdir(exist_ok=True)
            case {"fifo": True}:
                os.mkfifo(path)
            case _:
                raise ValueError(f"{name}: no content of a case tree: {content!r}")


def git(root: Path, *arguments: str, **environment: str) -> str:
    """Run Git in a tree as nobody in particular; gives what it prints. Raises CalledProcessError."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(  # noqa: S603 - no shell, and the arguments are ours
        [shutil.which("git") or "git", *_SETTINGS, *arguments], cwd=root, env={**own, **_NAMES, **_UNTOUCHED, **environment},
        stdin=subprocess.DEVNULL, capture_output=True, check=True,
    )  # fmt: skip
    return done.stdout.decode("utf-8", "replace")


def _nest(root: Path, paths: Any) -> None:
    for path in paths:
        git(root / path, "init", "-q")


def _commit(root: Path, commit: Mapping[str, Any]) -> None:
    write(root, commit.get("files") or {})
    for path in commit.get("remove") or ():
        _remove(root / path)
    git(root, "add", *(("-f", "--", *commit["add"]) if commit.get("add") else ("-A",)))
    dates = {"GIT_COMMITTER_DATE": commit["date"], "GIT_AUTHOR_DATE": commit.get("author_date", commit["date"])}
    git(root, "commit", "-q", "-m", "case", *(("--allow-empty",) if commit.get("empty") else ()), **dates)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()
