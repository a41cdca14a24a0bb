"""A large made-up context-server corpus: ``python benchmarks/generate.py OUT [--records N] [--seed S] [--uuid]``.

One record a line, about 1.3 kB each, written as a stream; the same arguments give the same bytes. A corpus of another
size is another corpus: its first records need not be equal.

The mix, for any size:

==================  ===================================================================================================
30 % legacy         the oldest records, spaced JSON: prompts without metadata or with a project, reports with flat
                    metadata, with a bare list of references, and, most of them, with ``references.context_ids``
65 % schema v1      the rest, compact JSON: reports 38 %, user messages 15 %, comments 11 %, issues 10 %, plans 9 %,
                    checkpoints, handoffs and notes 14 %, upstream issues 2 %
5 % faulty          any v1 record but user messages, broken in one way of :data:`FAULTS`: ids in other spellings
                    (CS601, with ``--uuid`` CS602), doubles in an array (CS505), one value instead of an array (CS502),
                    no kind token (CS110, on comments CS716), statuses in other spellings (CS201) or words (CS204),
                    priorities (CS209), the version as a string (CS103)
15 % user messages  in both eras
1.2 edges a record  links of seven kinds and ids of references, each to one of the last 4,096 records of its kind
supersession        three of ten plans are replaced by a later one, chains included; of these 4 % lost the second
                    write (CS701)
spoiled lines       for each 100,000 records 3 broken lines (CS001), 3 doubled members (CS006), 2 copies (CS002)
==================  ===================================================================================================

Issues and their comments stand in the thread ``issues``, upstream issues and theirs in ``upstream-issues``, all else in
one thread a project. The kinds together use 33 metadata fields. Texts are 600 to 1,200 bytes of prose from a thousand
ready paragraphs under an opening of their own, so no two are equal.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import islice
from pathlib import Path

LEGACY = 0.30
USERS = 0.15
FAULTY = 0.05
FAULTS = ("ids", "doubles", "single", "tag", "status", "word", "priority", "version")
REPLACED, LOST = 0.30, 0.04
START = 1_759_276_800
"""2025-10-01 00:00:00 UTC in seconds."""
DAYS = 425
WINDOW = 4096
BATCH = 2000
"""Lines a write."""

PROJECTS = tuple(
    f"{name}-{part}" for name in ("harbor", "quarry", "meadow") for part in ("api", "web", "sync", "infra")
)
AGENTS = ("developer", "researcher", "reviewer", "tester", "planner", "docs-writer", "main-agent", "analyst")
TOOLS = ("python", "typescript", "postgresql", "go", "react", "fastapi", "docker", "sql", "redis", "terraform")
TYPES = ("implementation", "implementation", "research", "validation", "documentation")
ISSUE_STATUSES = ("triage", "backlog", "todo", "todo", "in_progress", "in_review", "done", "done", "done", "canceled")
UPSTREAM_STATUSES = ("open", "open", "permanent", "resolved_for_us", "resolved", "moot", "refuted")
FILINGS = ("filed", "filed", "tracked", "commented", "release_requested")
LABELS = ("bug", "backend", "frontend", "performance", "docs", "security", "release", "cleanup")
WORDS = {"done": "completed", "pending": "in progress", "canceled": "Cancelled"}

_OPENINGS = (
    "The nightly run shows that", "After reading the trace twice it is clear that", "Since the last release",
    "With the cache switched off", "Under the load of Monday morning", "When two workers start together",
    "Compared with the old code", "For the largest tenant", "Once the queue is empty", "As the log says,",
)  # fmt: skip
_THINGS = (
    "importer", "session store", "invoice worker", "search endpoint", "retry loop", "event stream", "settings page",
    "rate limiter", "schema check", "export job", "calendar view", "token refresh",
)  # fmt: skip
_VERBS = (
    "reads the whole table", "waits for a lock that nobody holds", "answers within 40 ms", "drops the last page",
    "keeps the old value", "writes each row twice", "fails on an empty list", "finishes before its input does",
)  # fmt: skip
_ENDINGS = (
    "and the difference is visible in the metrics.", "which explains the gap of Friday.", "and a test pins it now.",
    "so the check moved to the boundary, where it belongs.", "although nothing in the code says so.",
    "so `config/limits.toml` got a line for it.", "and that is fine for now — see the open points.",
)  # fmt: skip
_HEADINGS = (
    "## Summary",
    "## Details",
    "## Changes",
    "## Verification",
    "## Context",
    "## Open points",
    "## Next steps",
)
_DOINGS = ("Speed up", "Repair", "Simplify", "Document", "Test", "Replace", "Measure", "Split", "Harden", "Remove")
_TASKS = tuple(f"{doing} the {thing}" for doing in _DOINGS for thing in _THINGS)


class Recent:
    """The ids (as JSON text) of the last records of one kind; edges take their targets from here."""

    def __init__(self, rng: random.Random) -> None:
        """An empty window."""
        self._draw = rng.random
        self._ids: list[str] = []
        self._added = 0

    def add(self, identifier: str) -> None:
        """Remember one and forget the oldest beyond :data:`WINDOW`."""
        if len(self._ids) < WINDOW:
            self._ids.append(identifier)
        else:
            self._ids[self._added % WINDOW] = identifier
        self._added += 1

    def pick(self) -> str:
        """Any of them; empty while there is none."""
        return self._ids[int(self._draw() * len(self._ids))] if self._ids else ""


def _paragraphs(rng: random.Random) -> list[str]:
    """1,024 ready paragraphs as they stand inside a JSON string."""
    ready = []
    for number in range(1024):
        sentences = " ".join(
            f"{rng.choice(_OPENINGS)} the {rng.choice(_THINGS)} {rng.choice(_VERBS)}, {rng.choice(_ENDINGS)}"
            for _ in range(1 + number % 2)
        )
        if number % 5 == 0:
            sentences = f"{rng.choice(_HEADINGS)}\\n{sentences}"
        elif number % 7 == 0:
            sentences = f"- `src/{rng.choice(_THINGS).replace(' ', '_')}.py`: {sentences}"
        ready.append(f"\\n\\n{sentences}")
    return ready


def _spaced(identifier: str, thread: str, source: str, text: str, meta: str, tags: str, at: str) -> str:
    return (
        f'{{"id": {identifier}, "thread_id": "{thread}", "source": "{source}", "content_type": "text", "text_content": '
        f'"{text}", "metadata": {meta}, "tags": [{tags}], "created_at": "{at}", "updated_at": "{at}"}}\n'
    )


def _compact(identifier: str, thread: str, source: str, text: str, meta: str, tags: str, at: str) -> str:
    return (
        f'{{"id":{identifier},"thread_id":"{thread}","source":"{source}","content_type":"text","text_content":"{text}",'
        f'"metadata":{meta},"summary":null,"tags":[{tags}],"images":[],"created_at":"{at}","updated_at":"{at}"}}\n'
    )


def _spoiled(line: str, which: int) -> str:
    """The line broken (0 to 2), with a member twice (3 to 5), or twice itself (6 and 7)."""
    body = line[:-2]
    broken = (f"{line[: len(line) // 2]}\n", f"{body},}}\n", f"{body} // exported\n")
    return (*broken, *(f'{body},"source":"agent"}}\n',) * 3, line * 2, line * 2)[which]


class Corpus:
    """One corpus; :meth:`lines` makes it record by record."""

    def __init__(self, records: int, seed: int, uuid: bool) -> None:
        """``records`` counts before a few lines are spoiled; ``uuid`` chooses the form of the ids."""
        self.records = records
        self.uuid = uuid
        self.rng = random.Random(seed)
        self.draw = self.rng.random
        self.ready = _paragraphs(self.rng)
        self.clock = [f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}" for second in range(86_400)]
        self.days = [str(date(2025, 10, 1) + timedelta(day)) for day in range(DAYS)]
        self.users, self.agents, self.plans = Recent(self.rng), Recent(self.rng), Recent(self.rng)
        self.issues, self.upstream = Recent(self.rng), Recent(self.rng)
        self.to_replace: deque[str] = deque()
        self.fault = ""

    def lines(self) -> Iterator[str]:
        """Every line with its line end."""
        draw = self.draw
        legacy = int(self.records * LEGACY)
        broken = FAULTY / ((1 - LEGACY) * (1 - USERS))
        for number in range(1, self.records + 1):
            second = DAYS * 86_400 * (number - 1) // self.records
            at = f"{self.days[second // 86_400]} {self.clock[second % 86_400]}"
            identifier = self._uuid7(number, second) if self.uuid else str(number)
            project = self._any(PROJECTS)
            if draw() < USERS:
                line = self._prompt(identifier, number, project, at, number > legacy)
            elif number <= legacy:
                line = self._legacy(identifier, number, project, at)
            else:
                self.fault = self._any(FAULTS) if draw() < broken else ""
                line = self._v1(identifier, number, project, at)
            which = int(draw() * 100_000)
            yield _spoiled(line, which) if which < 8 else line

    def _any(self, choices: Sequence[str]) -> str:
        return choices[int(self.draw() * len(choices))]

    def _uuid7(self, number: int, second: int) -> str:
        bits = self.rng.getrandbits(74)
        millisecond = (START + second) * 1000 + number % 1000
        return f'"{millisecond:012x}7{bits >> 62:03x}{bits & (1 << 62) - 1 | 1 << 63:016x}"'

    def _text(self, opening: str) -> str:
        """``opening`` and ready paragraphs, as they stand inside a JSON string."""
        bits = self.rng.getrandbits(128)
        text = opening
        enough = 600 + bits % 420
        while len(text) < enough:
            bits >>= 10
            text += self.ready[bits & 1023]
        return text

    def _array(self, *targets: str) -> str:
        """Ids as a JSON array, with the fault in hand if it is one of arrays; a target that is empty is left out."""
        ids = [target for target in targets if target]
        if ids and self.fault == "ids":
            one = ids[0]
            if self.uuid:
                plain = one.strip('"')
                hyphens = f'"{plain[:8]}-{plain[8:12]}-{plain[12:16]}-{plain[16:20]}-{plain[20:]}"'
                ids[0] = one.upper() if self.draw() < 0.5 else hyphens
            else:
                ids[0] = f'"{one}"' if self.draw() < 0.5 else f"{one}.0"
        elif ids and self.fault == "doubles":
            ids.append(ids[0])
        elif self.fault == "single" and len(ids) == 1:
            return ids[0]
        return f"[{','.join(ids)}]"

    def _status(self, status: str) -> str:
        if self.fault == "word":
            return WORDS.get(status, status.upper())
        return status.replace("_", " ").title() if self.fault == "status" else status

    def _tags(self, kind: str) -> str:
        label = f'"{self._any(LABELS)}"'
        return label if self.fault == "tag" else f'"{kind}",{label}'

    def _head(self, kind: str, project: str) -> str:
        version = '"1"' if self.fault == "version" else "1"
        head = f'{{"schema_version":{version},"kind":"{kind}","project":"{project}"'
        return f'{head},"agent_name":"{self._any(AGENTS)}"'

    def _prompt(self, identifier: str, number: int, project: str, at: str, v1: bool) -> str:
        self.users.add(identifier)
        text = self._text(f"Point {number} of the list, please.")
        if number < self.records * LEGACY / 3:
            return _spaced(identifier, project, "user", text, "null", "", at)
        tree = f'"worktree_id":"{project}","worktree_path":"/src/{project}","is_linked_worktree":false'
        if not v1:
            return _spaced(identifier, project, "user", text, f'{{"project":"{project}",{tree}}}', "", at)
        meta = f'{{"schema_version":1,"kind":"user_message","project":"{project}",{tree}}}'
        return _compact(identifier, project, "user", text, meta, "", at)

    def _legacy(self, identifier: str, number: int, project: str, at: str) -> str:
        agent, task = self._any(AGENTS), self._any(_TASKS)
        form = self.draw()
        first, second = self.agents.pick(), self.users.pick() if form > 0.82 else ""
        ids = f"{first}, {second}" if first and second else first
        if form < 0.08:
            meta = f'{{"agent_name": "{agent}", "task_type": "report", "completed": {str(form < 0.04).lower()}}}'
        elif form < 0.12:
            meta = f'{{"agent_name": "{agent}", "task_name": "{task}", "references": [{first}]}}'
        else:
            status = "completed" if form < 0.2 else "done"
            commits = f', "git_commits": ["{self.rng.getrandbits(160):040x}"]' if form > 0.85 else ""
            meta = (
                f'{{"agent_name": "{agent}", "task_name": "{task}", "status": "{status}", '
                f'"project": "{project}", "technologies": ["{self._any(TOOLS)}"], "report_type": '
                f'"{self._any(TYPES)}", "references": {{"context_ids": [{ids}]{commits}}}}}'
            )
        self.agents.add(identifier)
        return _spaced(identifier, project, "agent", self._text(f"## {task}, {number}"), meta, '"report"', at)

    def _v1(self, identifier: str, number: int, project: str, at: str) -> str:
        share = self.draw()
        if share < 0.12:
            return self._issue(identifier, number, project, at)
        if share < 0.25:
            return self._comment(identifier, number, project, at)
        if share < 0.275:
            return self._upstream(identifier, number, project, at)
        if share < 0.38:
            return self._work(identifier, number, project, at, "plan")
        if share < 0.545:
            return self._work(identifier, number, project, at, ("checkpoint", "handoff", "note")[number % 3])
        return self._work(identifier, number, project, at, "report")

    def _work(self, identifier: str, number: int, project: str, at: str, kind: str) -> str:
        task = self._any(_TASKS)
        status = "pending" if kind == "checkpoint" else "done"
        if self.fault == "priority":
            self.fault = "status"
        links = ""
        if kind == "plan":
            links, status = self._replacing(identifier, number)
        links += f'"derived_from":{self._array(self.agents.pick(), self.plans.pick() if self.draw() < 0.25 else "")}'
        if self.draw() < 0.5 and (prompt := self.users.pick()):
            links += f',"commissioned_by":[{prompt}]'
        fields = ""
        if kind == "report":
            fields = f',"report_type":"{self._any(TYPES)}","technologies":["{self._any(TOOLS)}","{project}"]'
            if self.draw() < 0.3:
                links += f',"git_commits":["{self.rng.getrandbits(160):040x}"],"github_prs":["{project}#{number}"]'
        head = self._head(kind, project)
        meta = f'{head},"task_name":"{task}","status":"{self._status(status)}"{fields},"links":{{{links}}}}}'
        (self.plans if kind == "plan" else self.agents).add(identifier)
        return _compact(identifier, project, "agent", self._text(f"# {task} ({number})"), meta, self._tags(kind), at)

    def _replacing(self, identifier: str, number: int) -> tuple[str, str]:
        """Links and status of a plan: what it replaces, and whether a later one will replace it."""
        ending = number > self.records * 0.97
        links = ""
        if self.to_replace and (ending or self.draw() < REPLACED * 1.1):
            links = f'"supersedes":{self._array(self.to_replace.popleft())},'
        if ending or self.draw() > REPLACED:
            return links, "pending" if self.draw() < 0.2 else "done"
        self.to_replace.append(identifier)
        if self.fault == "word":
            self.fault = "status"
        return links, "done" if self.draw() < LOST else "superseded"

    def _issue(self, identifier: str, number: int, project: str, at: str) -> str:
        title = f"{self._any(_TASKS)}, case {number}"
        status = self._any(ISSUE_STATUSES)
        priority = str(int(self.draw() * 5))
        if self.fault in {"priority", "word", "version"}:
            self.fault = "priority"
            priority = (f'"{priority}"', f"{priority}.0", '"high"', "8")[number % 4]
        links = []
        chance = self.draw()
        if chance < 0.02 and (target := self.issues.pick()):
            status = "duplicate"
            links.append(f'"duplicate_of":{self._array(target)}')
        elif chance < 0.9 or self.fault:
            key = ("blocks", "parent", "related", "derived_from")[number % 4]
            targets = self.agents if key == "derived_from" else self.issues
            links.append(f'"{key}":{self._array(targets.pick())}')
        if prompt := self.users.pick() if chance > 0.7 else "":
            links.append(f'"commissioned_by":[{prompt}]')
        extra = f',"completed_at":"{at[:10]}T{at[11:]}Z"' if status in {"done", "canceled"} else ""
        if number % 5 == 0:
            extra += f',"assignee":"mara","due_date":"{at[:10]}","estimate":{number % 13},"milestone":"m{number % 9}"'
        meta = (
            f'{self._head("issue", project)},"source_project":"{PROJECTS[number % 12]}","title":"{title}",'
            f'"status":"{self._status(status)}","priority":{priority}{extra},"links":{{{",".join(links)}}}}}'
        )
        self.issues.add(identifier)
        return _compact(identifier, "issues", "agent", self._text(f"# {title}"), meta, self._tags("issue"), at)

    def _comment(self, identifier: str, number: int, project: str, at: str) -> str:
        upstream = self.draw() < 0.12
        parent = self.upstream.pick() if upstream else self.issues.pick()
        if not parent:
            return self._work(identifier, number, project, at, "note")
        if self.fault in {"status", "word", "priority"}:
            self.fault = "ids"
        meta = f'{self._head("comment", project)},"links":{{"parent":{self._array(parent)}}}}}'
        tags = f'"comment","{LABELS[0]}"' if self.fault == "tag" else '"comment"'
        text = self._text(f"Re issue {parent[1:-1] if self.uuid else parent}: seen again, comment {number}.")
        return _compact(identifier, "upstream-issues" if upstream else "issues", "agent", text, meta, tags, at)

    def _upstream(self, identifier: str, number: int, project: str, at: str) -> str:
        repo = f"acme/{self._any(_THINGS).replace(' ', '-')}"
        title = f"{self._any(_TASKS)} upstream, case {number}"
        if self.fault in {"word", "priority"}:
            self.fault = "status"
        related = self.issues.pick() if self.draw() < 0.5 or self.fault else ""
        links = f',"related":{self._array(related)}' if related else ""
        head, status = self._head("upstream_issue", project), self._status(self._any(UPSTREAM_STATUSES))
        meta = (
            f'{head},"title":"{title}","status":"{status}","status_note":"as of {at[:10]}",'
            f'"upstream_repo":"{repo}","upstream_component":"{repo[5:]} -- core","filing":"{FILINGS[number % 5]}",'
            f'"upstream_ref":"{repo}#{number}","upstream_state":"open","affected_projects":["{project}"],'
            f'"recheck_on":["{repo[5:]}"],"fixed_in":"2.{number % 40}","last_verified":"{at[:10]}",'
            f'"links":{{"github_issues":["https://github.com/{repo}/issues/{number}"]{links}}}}}'
        )
        self.upstream.add(identifier)
        text = self._text(f"# {title} ({repo}#{number})")
        return _compact(identifier, "upstream-issues", "agent", text, meta, self._tags("upstream_issue"), at)


def write(out: Path, records: int, seed: int = 1, uuid: bool = False) -> None:
    """Write a corpus to ``out``, which is replaced."""
    lines = Corpus(records, seed, uuid).lines()
    with out.open("wb") as stream:
        while batch := "".join(islice(lines, BATCH)):
            stream.write(batch.encode())


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Write a large made-up context-server corpus.")
    parser.add_argument("out", type=Path, metavar="OUT", help="JSONL file to write")
    parser.add_argument("--records", type=int, default=1_000_000, help="number of records (default: 1000000)")
    parser.add_argument("--seed", type=int, default=1, help="another seed is another corpus (default: 1)")
    parser.add_argument("--uuid", action="store_true", help="ids as UUIDv7 instead of integers")
    options = parser.parse_args(arguments)
    write(options.out, options.records, options.seed, options.uuid)
    return 0


if __name__ == "__main__":
    sys.exit(main())
