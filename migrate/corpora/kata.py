"""A kata export among exported files: a file of lines, known by its first one."""

from __future__ import annotations

from collections.abc import Sequence

from migrate.corpora.compression import Reader
from migrate.corpora.files import FileCorpus
from migrate.corpora.interface import BLANKS, BOM, CorpusError
from migrate.corpora.shard import Shard
from migrate.engine.json_text import JsonError, blank, check, members

_LONGEST_FIRST = 1 << 20
"""Bytes in which the first line must end; that of an export is short."""


def is_kata(corpus: FileCorpus) -> bool:
    """Whether the first line of any of the files is one of a kata export."""
    return any(_is_export(shard) for shard in corpus.shards)


def only_shard(corpus: FileCorpus) -> Sequence[Shard]:
    """The one file of an export. CorpusError where there are several: each is an instance of its own."""
    if len(corpus.shards) != 1:
        raise CorpusError(
            f"{corpus.uri}: a kata export is one file, and there are {len(corpus.shards)}; name the one to look at"
        )
    return corpus.shards


def _is_export(shard: Shard) -> bool:
    line = _first_line(shard)
    try:
        text = line.decode("utf-8")
        check(text)
        found = {member.key: text[member.start] for member in members(text, blank(text, 0))}
    except (UnicodeDecodeError, JsonError, IndexError):
        return False
    return found == {"kind": '"', "data": "{"}


def _first_line(shard: Shard) -> bytes:
    if shard.form != "lines":
        return b""
    path, compression, _ = shard.text
    gathered = b""
    try:
        for chunk in Reader(path, compression):
            gathered = (gathered + chunk).removeprefix(BOM).lstrip(BLANKS)
            line, end, _ = gathered.partition(b"\n")
            if end or len(gathered) > _LONGEST_FIRST:
                return line
    except OSError:
        return b""
    return gathered
