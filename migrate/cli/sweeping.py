"""A sweep from its examination to its report: what was found, compared with what was known, put together for every format."""

from __future__ import annotations

import contextlib
import hashlib
import json
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from migrate import __version__
from migrate.cli.codes import by_finding, load_rules
from migrate.cli.errors import CommandError
from migrate.cli.invocation import Invocation
from migrate.naming import corpus_name, without_secrets
from migrate.reporting import formats
from migrate.reporting.wording import severity_phrase
from migrate.results import Changes, Outcome, PlanPart, Portrait, Report, RuleReport, Sample, Sweep, Where
from migrate.types import Finding, RuleCount, Summary

if TYPE_CHECKING:
    from migrate.planning.plan_file import Plan
    from migrate.sweeps.found import Found
    from migrate.sweeps.states import Compared
    from migrate.systems import Examination, SinceLast

TABLE = "findings.parquet"
TREND = 30
"""Sweeps that a report shows."""
_SAMPLES, _SAMPLES_A_RULE, _FIELDS = 90, 3, 20
_WORDS = ("title", "family", "what", "why", "fix", "safety")
_LONGEST_SAMPLE = 20_000
"""Bytes of a plan line that is short enough to be shown."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What is kept of an examination once its engine is gone."""

    summary: Summary
    found: Found
    table: Path
    """Where the findings are told; a sweep writes their states into it."""
    portrait: Portrait
    codes: tuple[str, ...]
    by_finding: frozenset[str]
    full: bool = True


@contextlib.contextmanager
def scratch(call: Invocation) -> Iterator[Path]:
    """A folder that goes with the block, where the engine's own is."""
    parent = call.settings["temp-dir"]
    try:
        if parent is not None:
            parent.mkdir(parents=True, exist_ok=True)
        folder = tempfile.TemporaryDirectory(prefix="corpus-migrate-", dir=parent)
    except OSError as error:
        raise CommandError(f"the temp folder {parent or ''} cannot be used: {error.strerror}") from error
    with folder as name:
        yield Path(name)


def take(examination: Examination, folder: Path) -> Taken:
    """Write the table of findings into a folder and keep the numbers."""
    from migrate.reporting import findings_table
    from migrate.sweeps.found import Found

    table = folder / TABLE
    findings_table.write(examination.findings(), table)
    rules = examination.rules
    return Taken(
        examination.summary, Found(table), table, examination.portrait(), tuple(rules.selected), by_finding(rules)
    )


def kept(examination: SinceLast, folder: Path) -> Taken:
    """Keep the numbers of an examination whose findings are in its index; there is no table of them yet."""
    from migrate.sweeps.found import Found
    from migrate.systems import merging

    found = Found(examination.index, merging.FOUND, merging.TOLD, merging.ORDER, examination.database)
    rules = examination.rules
    return Taken(
        examination.summary,
        found,
        folder / TABLE,
        examination.portrait,
        tuple(rules.selected),
        by_finding(rules),
        examination.full,
    )


class Sweeping:
    """One sweep of a corpus: compared, concluded, and put into the history."""

    def __init__(
        self,
        call: Invocation,
        command: str,
        taken: Taken,
        baseline: Path | None,
        *,
        at: str | None = None,
        told: bool = True,
    ) -> None:
        """Compare what was taken with what is known. SweepError for a bad baseline or state.

        The states go into its table where the findings are ``told``, and not only counted.
        """
        from migrate.planning.chosen import chosen_options
        from migrate.sweeps import history, states

        self._call, self._command, self._taken, self._told = call, command, taken, told
        self.folder = corpus_folder(call, taken.summary.uri)
        self._earlier = history.read(self.folder, TREND - 1)
        self._at = at or time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.options = chosen_options(call.settings.options(), taken.codes)
        last = self._earlier[-1] if self._earlier else None
        self._number = last.sweep + 1 if last else 1
        with taken.found.database(call.settings.limits) as database:
            self.compared: Compared = states.compare(
                database,
                self.folder,
                taken.found,
                taken.codes,
                complete=taken.summary.complete,
                baseline=baseline,
                since=last.at if last else None,
            )
            if told:
                taken.found.tell(database, self.compared.usual, taken.table)

    @property
    def changes(self) -> Changes:
        """What the sweep found against what was known."""
        return self.compared.changes

    def conclude(self, outcome: Outcome) -> None:
        """Append the sweep to the history."""
        from migrate.sweeps import history

        summary, changes = self._taken.summary, self.changes
        self._sweep = Sweep(
            sweep=self._number,
            at=self._at,
            command=self._command,
            version=__version__,
            complete=summary.complete,
            full=self._taken.full,
            records=summary.records,
            findings=summary.findings,
            severities=dict(summary.severities),
            new=changes.new,
            known=changes.known,
            fixed=changes.fixed,
            regressed=changes.regressed,
            reference=changes.reference,
            rules={rule.code: rule.findings for rule in summary.rules},
            options=digest(self.options, self._call),
            seconds=round(summary.seconds, 3),
            exit_code=int(outcome.code),
        )
        history.append(self.folder, self._sweep)
        self._outcome = outcome

    def report(self, next_commands: Sequence[str], plan: PlanPart | None = None) -> Report:
        """The whole of it, for every format; without any finding where they are not told."""
        from migrate.cli.runs import runs_of
        from migrate.reporting import aggregates, findings_table

        taken = self._taken
        history = (*self._earlier, self._sweep)
        texts = {rule.code: rule for rule in load_rules(self._call.settings)}
        examples: dict[str, list[Finding]] = {}
        where = Where()
        if self._told:
            for finding in findings_table.examples(taken.table, formats.REPORT_EXAMPLES):
                examples.setdefault(finding.code, []).append(finding)
            families = {code: getattr(rule, "family", "") for code, rule in texts.items()}
            where = aggregates.where(taken.table, families)
        return Report(
            command=self._command,
            summary=taken.summary,
            outcome=self._outcome,
            version=__version__,
            made_at=self._at,
            options=self.options,
            rules=tuple(
                _rule(
                    count, texts.get(count.code), self.compared, history, examples.get(count.code, ()), taken.by_finding
                )
                for count in taken.summary.rules
            ),
            changes=self.changes,
            history=history,
            where=where,
            portrait=taken.portrait,
            plan=plan,
            runs=runs_of(self.folder),
            next_commands=tuple(next_commands),
            fixed=self.compared.fixed,
            table=taken.table if self._told else None,
        )


def _rule(
    count: RuleCount,
    text: Any,
    compared: Compared,
    history: Sequence[Sweep],
    examples: Sequence[Finding],
    open_codes: frozenset[str],
) -> RuleReport:
    new, regressed, fixed = compared.rules.get(count.code, (0, 0, 0))
    words: dict[str, str] = {name: getattr(text, name, "").strip() for name in _WORDS}
    trend = tuple(sweep.rules.get(count.code, 0) for sweep in history)
    return RuleReport(
        count,
        phrase=severity_phrase(count, open_codes),
        **words,
        new=new,
        regressed=regressed,
        fixed=fixed,
        trend=trend,
        examples=tuple(examples),
    )


def plan_part(made: Plan) -> PlanPart:
    """What a report shows of a plan: which fields it touches, and a few of its records for each rule."""
    import orjson

    fields: Counter[str] = Counter()
    samples: dict[str, list[str]] = {}
    number = 0
    for line in made.lines:
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError:
            # A number beyond a double.
            record = json.loads(line)
        fields.update(_field(change["path"]) for change in record.get("changes", ()))
        if number < _SAMPLES and len(line) <= _LONGEST_SAMPLE:
            wanted = next(
                (code for code in record.get("codes", ()) if len(samples.get(code, ())) < _SAMPLES_A_RULE), None
            )
            if wanted is not None:
                samples.setdefault(wanted, []).append(line.decode())
                number += 1
    chosen = tuple(Sample(code, tuple(records)) for code, records in sorted(samples.items()))
    return PlanPart(made.header, dict(fields.most_common(_FIELDS)), chosen)


def _field(path: str) -> str:
    """A pointer without the places in its arrays."""
    return "/".join(part for part in path.split("/") if not part.isdigit())


def corpus_folder(call: Invocation, uri: str) -> Path:
    """The folder of a corpus in the workspace."""
    return call.workspace / corpus_name(uri)


def uri_of(corpus: str) -> str:
    """A corpus as its summary names it."""
    return without_secrets(corpus)


def baseline_of(call: Invocation, uri: str, *, ignored: bool = False, required: bool = True) -> Path | None:
    """The baseline in force: the one that was named, which must be there where it is read, else the one in the workspace."""
    from migrate.sweeps.baseline import NAME

    if ignored:
        return None
    named: Path | None = call.settings["baseline"]
    if named is not None and required and not named.is_file():
        raise CommandError(
            f"--baseline {named} is not there; corpus-migrate baseline write CORPUS --baseline {named} makes it"
        )
    return named or corpus_folder(call, uri) / NAME


def state_mark(call: Invocation) -> str:
    """A mark of everything that decides what an examination finds and tells."""
    from migrate.planning.chosen import chosen_options

    options = call.settings.options()
    told = {
        **chosen_options(options, ()),
        "select": options.select,
        "ignore": options.ignore,
        "evidence": options.evidence,
    }
    return digest(told, call)


def digest(options: Mapping[str, Any], call: Invocation) -> str:
    """A mark that differs where the rules, the options or the version do: the user's own rules by their text."""
    mark = hashlib.sha256(json.dumps([__version__, options], sort_keys=True).encode())
    for folder in call.settings["custom-rules"]:
        files = sorted(folder.rglob("*.yml")) if folder.is_dir() else [folder]
        for file in islice(files, 10_000):
            mark.update(file.read_bytes())
    return mark.hexdigest()[:16]
