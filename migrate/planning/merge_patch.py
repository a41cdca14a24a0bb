"""RFC 7396 merge patches over JSON held as exact text: made from edits, and put into a metadata text.

What a merge patch cannot say, a null that is to be stored, goes beside it as a whole value at a pointer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from migrate.engine.json_text import blank, members, quote, walk
from migrate.planning.errors import PlanError
from migrate.planning.object_edit import COMPACT, changes_of, replaced
from migrate.planning.pointer import tokens
from migrate.planning.spelling import bare, compact

Tree: TypeAlias = "dict[str, str | Tree]"
"""An object some of whose members are taken apart; the others are exact text."""

_BLANKS = " \t\n\r"


@dataclass(frozen=True, slots=True)
class Edit:
    """One member to set or to remove: ``path`` a JSON pointer into the metadata, ``""`` all of it.

    ``value`` is the JSON text of the new value; None removes the member.
    """

    path: str
    value: str | None


@dataclass(frozen=True, slots=True)
class Patch:
    """What changes in one record, as JSON texts.

    ``metadata`` is an RFC 7396 merge patch (None: nothing to merge), ``tags`` the whole new list (None: untouched),
    ``replace`` maps a pointer into the metadata to the whole new value there, which may be or hold null. A pointer's
    parent is an object that the metadata has, and no pointer names what the merge patch sets.
    """

    metadata: str | None = None
    tags: str | None = None
    replace: Mapping[str, str] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Whether the patch changes nothing."""
        return self.metadata is None and self.tags is None and not self.replace

    def text(self) -> str:
        """The patch as one JSON object, its parts as they stand: the ``patch`` of a plan line."""
        parts = []
        if self.metadata is not None:
            parts.append('"metadata":' + self.metadata)
        if self.tags is not None:
            parts.append('"tags":' + self.tags)
        if self.replace:
            inside = ",".join(f"{quote(path)}:{value}" for path, value in self.replace.items())
            parts.append('"replace":{' + inside + "}")
        return "{" + ",".join(parts) + "}"

    @classmethod
    def read(cls, text: str) -> Patch:
        """The inverse of :meth:`text`, exact to the number token; other members are not looked at.

        JsonError if the text is no object, PlanError if a part has the wrong shape.
        """
        parts = {member.key: text[member.start : member.end] for member in members(text, blank(text, 0))}
        for part, opener in (("metadata", "{"), ("tags", "["), ("replace", "{")):
            if part in parts and not parts[part].startswith(opener):
                raise PlanError(f"The patch's {part} is not what a plan holds; make the plan anew.")
        replace = parts.get("replace", "{}")
        return cls(
            parts.get("metadata"),
            parts.get("tags"),
            {member.key: replace[member.start : member.end] for member in members(replace, 0)},
        )


def make_patch(metadata_text: str | None, edits: Sequence[Edit], tags: str | None = None) -> Patch:
    """The smallest patch that makes the edits, one after the other, in the metadata (None, or ``null``: there is none).

    A set below a parent that is missing, null or no object makes the parent an object. Where old and new value differ
    in blanks, escapes or the order of members alone, nothing changes; number tokens count as they are spelled.
    ``tags`` is the whole new list, None if untouched. PlanError for a pointer that is none, or a member that stands
    twice where an edit passes; JsonError for a text that is no JSON.
    """
    old = None if metadata_text is None else metadata_text.strip(_BLANKS)
    if old == "null":
        old = None
    top: Tree = {} if old is None else {"": old}
    for edit in edits:
        _make_edit(top, edit)
    merge, replace = _difference(old, top.get(""))
    return Patch(
        _written(merge) if merge else None,
        None if tags is None else compact(tags),
        replace,
    )


def apply_patch(metadata_text: str | None, patch: Patch, *, verbatim: bool = False) -> str | None:
    """The metadata text with the patch in it; touched members compact, everything else as it stood.

    None stays None where the patch says nothing of the metadata. With ``verbatim``, the values of ``patch.replace``
    are written as they are spelled. PlanError where the patch does not fit the metadata.
    """
    if patch.metadata is None and not patch.replace:
        return metadata_text
    start = 0 if metadata_text is None else blank(metadata_text, 0)
    if metadata_text is None or metadata_text.startswith("null", start):
        return new_metadata(patch, verbatim=verbatim)
    return replaced(
        metadata_text,
        changes_of(metadata_text, start, patch.metadata, patch.replace, COMPACT, verbatim=verbatim),
    )


def new_metadata(patch: Patch, *, verbatim: bool = False) -> str | None:
    """The metadata that the patch makes where there was none; None if it makes none."""
    if "" in patch.replace:
        if patch.metadata is not None or len(patch.replace) > 1:
            raise PlanError("The patch replaces the metadata whole and changes it too; make the plan anew.")
        return patch.replace[""] if verbatim else compact(patch.replace[""])
    text = "{}" if patch.metadata is None else bare(patch.metadata)
    if patch.replace:
        changes = changes_of(text, 0, None, patch.replace, COMPACT, verbatim=verbatim)
        text = replaced(text, changes)
    return None if patch.metadata is None and not patch.replace else text


def _taken_apart(text: str) -> dict[str, str]:
    """The members of an object's text; PlanError for a double."""
    found = members(text, 0)
    parts = {member.key: text[member.start : member.end] for member in found}
    if len(parts) != len(found):
        raise PlanError("A member stands twice in the metadata; such a record is held, and nobody may patch it.")
    return parts


def _as_tree(value: str | Tree) -> Tree:
    return {**_taken_apart(value)} if isinstance(value, str) else value


def _make_edit(top: Tree, edit: Edit) -> None:
    """Put one edit into the tree whose member ``""`` is the metadata."""
    path = ("", *tokens(edit.path))
    node = top
    for step in path[:-1]:
        child = node.get(step)
        if isinstance(child, str) and child.startswith("{"):
            child = node[step] = _as_tree(child)
        elif not isinstance(child, dict):
            if edit.value is None:
                return
            child = node[step] = {}
        node = child
    if edit.value is None:
        node.pop(path[-1], None)
    else:
        node[path[-1]] = compact(edit.value)


def _difference(old: str | None, new: str | Tree | None) -> tuple[Tree, dict[str, str]]:
    """The merge patch from the old metadata to the new, taken apart, and what it cannot say."""
    if new is None or new == "null":
        return {}, {} if old is None else {"": "null"}
    if not _is_object(new) or (old is not None and not _is_object(old)):
        whole = _written(new)
        return {}, {} if old is not None and compact(old) == whole else {"": whole}
    replace: dict[str, str] = {}
    top: Tree = {}
    # Pairs of objects still to be compared: old, new, the patch between them, their pointer.
    pairs = [({} if old is None else _taken_apart(old), _as_tree(new), top, "")]
    descents: list[tuple[Tree, str, Tree]] = []
    while pairs:
        was, now, patch, pointer = pairs.pop()
        for name in was:
            if name not in now:
                patch[name] = "null"
        for name, value in now.items():
            before = was.get(name)
            if value == before:
                continue
            below = pointer + "/" + name.replace("~", "~0").replace("/", "~1")
            if before is not None and _is_object(before) and _is_object(value):
                inner: Tree = {}
                patch[name] = inner
                descents.append((patch, name, inner))
                pairs.append((_taken_apart(before), _as_tree(value), inner, below))
                continue
            whole = _written(value)
            if before is not None and compact(before) == whole:
                continue
            if _needs_null(whole):
                replace[below] = whole
            else:
                patch[name] = whole
    for parent, name, inner in reversed(descents):
        if not inner:
            del parent[name]
    return top, replace


def _is_object(value: str | Tree) -> bool:
    return not isinstance(value, str) or value.startswith("{")


def _needs_null(text: str) -> bool:
    """Whether a merge patch with this value would lose a null: one that stands in an object, outside of arrays."""
    if "null" not in text:
        return False
    if not text.startswith("{"):
        return text == "null"
    arrays = 0
    for what, start, _end in walk(text, 0):
        arrays += (what == "[") - (what == "]")
        if not arrays and what == "v" and text[start] == "n":
            return True
    return False


def _written(value: str | Tree) -> str:
    """A tree as compact text."""
    if isinstance(value, str):
        return compact(value)
    pieces = ["{"]
    stack = [iter(value.items())]
    first = True
    while stack:
        for name, child in stack[-1]:
            pieces.append(quote(name) + ":" if first else "," + quote(name) + ":")
            if isinstance(child, str):
                pieces.append(compact(child))
                first = False
                continue
            pieces.append("{")
            stack.append(iter(child.items()))
            first = True
            break
        else:
            pieces.append("}")
            stack.pop()
            first = False
    return "".join(pieces)
