"""A database that a real server keeps, and the server itself: read while it runs, the same records either way."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from context_server import PLAIN, Peer, program
from running import Run

from migrate.corpora.live_server import LiveServer


def records(path: Path) -> dict[int, dict[str, object]]:
    return {entry["id"]: entry for entry in map(json.loads, path.read_text(encoding="utf-8").splitlines())}


def test_the_database_and_the_server_tell_the_same(run: Run, peer: Peer, tmp_path: Path) -> None:
    long = "An entry with a long text. " * 100
    ids = [
        peer.store_entry("One é \u2028", {"kind": "plan", "n": 1.5, "big": 10**25}, ["B", "a"]),
        peer.store_entry(long, None, []),
        *peer.store_all(
            [(f"Entry {number}", {"references": {"context_ids": [number]}}, f"t{number % 3}") for number in range(205)]
        ),
    ]
    peer.call("update_context", context_id=ids[0], metadata_patch={"extra": {"nested": [1, None]}})
    assert run("export", peer.store, "-o", "database.jsonl").exit_code == 0
    assert run("export", peer.uri, "-o", "server.jsonl").exit_code == 0
    database, server = records(tmp_path / "database.jsonl"), records(tmp_path / "server.jsonl")
    assert list(database) == list(server) == ids
    for own in ids:
        for name in ("id", "thread_id", "source", "content_type", "text_content", "metadata"):
            assert server[own][name] == database[own][name], (own, name)
        assert sorted(server[own]["tags"]) == sorted(database[own]["tags"])  # type: ignore[call-overload]
    assert server[ids[1]]["text_content"] == long.strip()
    for name in ("database", "server"):
        assert run("plan", f"{name}.jsonl", "-o", f"{name}.plan").exit_code == 0
    assert run("plan", peer.store, "-o", "store.plan").exit_code == 0
    lines = [(tmp_path / f"{name}.plan").read_text().splitlines()[1:] for name in ("database", "store", "server")]
    assert len(lines[0]) > 200
    assert lines[0] == lines[1] == lines[2]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """The URI of a server behind HTTP that asks for the token ``geheim``."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    behind = {"MCP_TRANSPORT": "http", "FASTMCP_HOST": "127.0.0.1", "FASTMCP_PORT": str(port)}
    guarded = {"MCP_AUTH_PROVIDER": "simple_token", "MCP_AUTH_TOKEN": "geheim", "DB_PATH": str(tmp_path / "http.db")}
    with subprocess.Popen(
        [program()], env={**os.environ, **PLAIN, **behind, **guarded}, stderr=subprocess.DEVNULL
    ) as server:
        for _ in range(300):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/mcp"
        server.terminate()


def test_a_server_behind_http_wants_its_token(
    run: Run, served: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    refused = run("check", served)
    assert refused.exit_code == 2
    assert "a bearer token is taken from CORPUS_MIGRATE_TOKEN" in refused.stderr
    monkeypatch.setenv("CORPUS_MIGRATE_TOKEN", "geheim")
    with LiveServer(served).session() as session:
        entry = {
            "thread_id": "t",
            "source": "agent",
            "text": "x",
            "metadata": {"kind": "plan", "status": "Done", "schema_version": 1},
        }
        session.call("store_context", entry)
    assert run("plan", served, "-o", "p").exit_code == 0
    result = run("apply", "p", "--yes", "--format", "json")
    assert result.exit_code == 0 and "small window" in result.stderr
    with LiveServer(served).session() as session:
        assert b'"status":"done"' in session.entries(["1"])["1"]
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"geheim" in path.read_bytes()]


def test_what_a_server_cannot_return_is_held_and_named(run: Run, peer: Peer) -> None:
    ids = [peer.store_entry(f"Entry {number}", {"status": "Done", "kind": "plan"}) for number in range(5)]
    told = peer.call("update_context_batch", updates=[{"context_id": ids[2], "metadata": [1]}])
    assert told["success"], told
    for store in (peer.store, peer.uri):
        result = run("check", store, "--format", "jsonl", "--fail-on", "never")
        found = [json.loads(line) for line in result.stdout.splitlines()]
        assert {finding["record"] for finding in found if finding["code"] == "CS005"} == {ids[2]}, store
        assert {finding["record"] for finding in found if finding["code"] == "CS201"} == set(ids) - {ids[2]}, store
