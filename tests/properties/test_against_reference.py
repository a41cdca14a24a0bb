"""The engine against an independent reading of the rules: what safe fixes make of every record of a random corpus."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from corpus_strategy import Corpus, corpora
from hypothesis import HealthCheck, Phase, given, settings
from reference_rules import BLANKS, Float, own_id, parsed, repaired, same
from reference_rules import Corpus as Reading
from whole_way import applied, options, plan_of, scratch

CALM = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]
QUICK = [Phase.explicit, Phase.reuse, Phase.generate]


def repaired_lines(data: bytes, folder: Path) -> tuple[list[bytes], dict[str, Any]]:
    """The lines after safe fixes, and what the plan says of the corpus."""
    here = scratch(folder)
    source, out = here / "entries.jsonl", here / "out.jsonl"
    source.write_bytes(data)
    plan = plan_of(source, here, options())
    if plan.lines:
        applied(plan, out)
    written = (out if plan.lines else source).read_bytes()
    return written.removeprefix(b"\xef\xbb\xbf").split(b"\n"), plan.header["corpus"]


def check_against_reading(corpus: Corpus, folder: Path) -> None:
    lines = corpus.data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    written, about = repaired_lines(corpus.data, folder)
    reading = Reading(lines)
    assert about["id_form"] == ("integer" if reading.integer else "uuid")
    assert about["text_encoded"] == reading.all_text
    wanted = {own: (metadata, tags) for own, metadata, tags in repaired(reading)}
    assert len(lines) == len(written)
    for before, after in zip(lines, written, strict=True):
        try:
            body = parsed(after.decode().strip(BLANKS))
        except ValueError:
            body = None
        own = own_id(body) if isinstance(body, dict) else None
        if own not in wanted:
            assert after == before
            continue
        metadata = body.get("metadata")
        if isinstance(metadata, str):
            metadata = json.loads(metadata, parse_float=Float)
        assert same(metadata or {}, wanted[own][0]), (before, metadata, wanted[own][0])
        assert same(body.get("tags"), wanted[own][1]), (before, body.get("tags"), wanted[own][1])


@pytest.mark.slow
@given(corpus=corpora())
@settings(max_examples=8, phases=QUICK, deadline=None, suppress_health_check=CALM, print_blob=True)
def test_safe_fixes_make_what_the_rules_say(corpus: Corpus, folder: Path) -> None:
    check_against_reading(corpus, folder)


@pytest.mark.slow
@given(corpus=corpora(most=80))
@settings(max_examples=40, deadline=None, suppress_health_check=CALM, print_blob=True)
def test_safe_fixes_of_many_corpora_make_what_the_rules_say(corpus: Corpus, folder: Path) -> None:
    check_against_reading(corpus, folder)
