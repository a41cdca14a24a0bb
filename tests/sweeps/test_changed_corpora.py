"""However a corpus changes, ``--since-last`` finds what a full check finds: whole corpora with many faults, dense with links."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from tempfile import mkdtemp

import pytest
from corpus_strategy import Corpus, corpora
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from test_thirty_nights import check, last_sweep

CALM = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]
SEEDS = st.integers(0, 2**16)


def changed(lines: list[bytes], others: tuple[bytes, ...], rng: Random) -> list[bytes]:
    """A few lines are other ones, come, go, stand twice, or elsewhere. The other corpus has the same ids."""
    lines = [line if line.endswith(b"\n") else line + b"\n" for line in lines]
    for _ in range(rng.choice((0, 1, 1, 2, 5))):
        place, other = rng.randrange(len(lines)), rng.choice(others).rstrip(b"\r\n") + b"\n"
        match rng.randrange(6):
            case 0 | 1:
                lines[place] = other
            case 2:
                lines.insert(place, other)
            case 3 if len(lines) > 5:
                del lines[place]
            case 4:
                lines.insert(rng.randrange(len(lines)), lines[place])
            case _:
                lines.insert(rng.randrange(len(lines)), lines.pop(place))
    return lines


def check_nights(corpus: Corpus, other: Corpus, seed: int, folder: Path, nights: int) -> None:
    here, rng = Path(mkdtemp(dir=folder)), Random(seed)
    lines, path = list(corpus.lines), here / "entries.jsonl"
    for night in range(nights):
        lines = changed(lines, other.lines, rng) if night else lines
        path.write_bytes(b"".join(lines))
        whole = check(str(path), "--workspace", str(here / "whole"))
        assert check(str(path), "--workspace", str(here / "part"), "--since-last") == whole, f"night {night}"
        marks = [finding["fingerprint"] for finding in whole]
        assert len(set(marks)) == len(marks)
        assert last_sweep(str(here / "part"))["findings"] == len(whole)


@given(corpus=corpora(least=12, most=24), other=corpora(least=12, most=24), seed=SEEDS)
@settings(max_examples=2, phases=[Phase.explicit, Phase.reuse, Phase.generate], deadline=None, suppress_health_check=CALM, print_blob=True)  # fmt: skip
def test_a_changed_corpus_is_judged_as_if_whole(corpus: Corpus, other: Corpus, seed: int, tmp_path: Path) -> None:
    check_nights(corpus, other, seed, tmp_path, 3)


@pytest.mark.slow
@given(corpus=corpora(least=12, most=24), other=corpora(least=12, most=24), seed=SEEDS)
@settings(max_examples=15, deadline=None, suppress_health_check=CALM, print_blob=True)
def test_many_changed_corpora_are_judged_as_if_whole(corpus: Corpus, other: Corpus, seed: int, tmp_path: Path) -> None:
    check_nights(corpus, other, seed, tmp_path, 5)


def entry(own: int | str, text: str = "words", **metadata: object) -> str:
    plain = {"schema_version": 1, "kind": "plan", "project": "p", "agent_name": "a", "status": "done"}
    return json.dumps({"id": own, "thread_id": "t", "source": "agent", "text_content": text,
                       "metadata": {**plain, **metadata}, "tags": ["plan"]})  # fmt: skip


DIGITS, OTHER = "10000000000000000000000000000007", "0198c0ffee0000007a7b3c8d00000001"
POINTING = entry(2, links={"related": [1]})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            [entry(OTHER, links={"related": [DIGITS]})],
            [entry(OTHER, links={"related": [DIGITS]}), entry(DIGITS, "others")],
        ),
        ([entry(1), POINTING], [entry(1), POINTING, entry(1, "a half \ud800 of a character")]),
    ],
    ids=["an id of digits comes", "a record that only strict reading reads comes"],
)
def test_what_comes_touches_what_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: list[str], after: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    found = []
    for lines in (before, after):
        Path("c.jsonl").write_text("\n".join(lines) + "\n")
        found.append(check("c.jsonl", "--workspace", "part", "--since-last"))
        assert found[-1] == check("c.jsonl", "--workspace", "whole")
    assert not last_sweep("part")["full"]
    pointing = [[f["fingerprint"] for f in night if f["record"] == json.loads(before[-1])["id"]] for night in found]
    assert pointing[0] != pointing[1]
