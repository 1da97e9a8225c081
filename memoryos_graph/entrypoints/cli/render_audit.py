"""Events in words, and what the audit found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from .console import shown

if TYPE_CHECKING:
    from memoryos_graph.contract import AuditHead, AuditVerified, DoctorReport, EventList, EventOut, Finding

IDS_SHOWN = 3
FAULTS = {
    "changed": "this event is not as it was written",
    "removed": "the event that was here is missing",
    "reordered": "another event stands here than was written here",
    "inserted": "this event was never written by this program",
    "cut": "events from here on are missing",
    "head_changed": "the head is not that of the newest event",
    "replaced": "the history from here on is another one",
    "other_key": "it was imported from a database with another secret key, so it can't be proved here",
}
Numbers = Mapping[str, float]


def timeline(result: EventList, *, empty: str) -> RenderableType:
    """Events, newest first: when, what happened in words, and to what."""
    if not result.items:
        return Text(shown(empty))
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="bold")
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("when", no_wrap=True)
    for column in ("kind", "what happened", "by", "ids"):
        table.add_column(column, overflow="fold")
    for event in result.items:
        ids = list(event.ids[:IDS_SHOWN]) + ([f"and {len(event.ids) - IDS_SHOWN} more"] * (len(event.ids) > IDS_SHOWN))
        at = event.at.strftime("%Y-%m-%d %H:%M:%S")
        table.add_row(str(event.seq), at, event.kind, told(event), event.actor, Text("\n".join(ids), "dim"))
    return Group(table, Text(f"more: --cursor {result.next_cursor}", "dim")) if result.next_cursor else table


def head(result: AuditHead) -> RenderableType:
    """The head as `--head` takes it."""
    return Text(f"{result.seq}:{result.hash}")


def verified(result: AuditVerified) -> RenderableType:
    """Whether the chain is whole, and where it is not."""
    if result.ok:
        held = {
            None: "",
            True: "; the earlier head is part of it",
            False: "; the earlier head is of what was forgotten",
        }
        upto = f"{result.head.seq}:{result.head.hash or '-'}"
        return Text(f"whole: {result.events} events up to {upto}{held[result.contains_head]}", "green")
    said = f"broken at event {result.broken_at} ({result.what}): {FAULTS[str(result.what)]}"
    return Text(f"{said}; {result.events} events before it are whole", "bold red")


def report(result: DoctorReport) -> RenderableType:
    """What is wrong, grouped by check; ids, no texts."""
    parts: list[RenderableType] = []
    if result.fixed:
        parts += [Text("mended", "bold green"), _grouped(result.fixed)]
    if result.findings:
        parts += [Text("wrong", "bold red"), _grouped(result.findings)]
    if result.left_out:
        parts.append(Text(f"and {result.left_out} more", "dim"))
    parts += [Text(f"note: {text}", "dim") for text in result.notes]
    users = f"{result.users} user{'' if result.users == 1 else 's'}"
    if result.ok:
        parts.append(Text(f"nothing is wrong; {users} checked", "green"))
    elif any(one.mendable for one in result.findings):
        parts.append(Text(f"{users} checked; `memoryos doctor --fix` mends some of it", "dim"))
    return Group(*parts)


def _grouped(findings: Sequence[Finding]) -> RenderableType:
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="bold")
    for column in ("rule", "check", "how many", "what", "user", "ids"):
        table.add_column(column, overflow="fold")
    groups: dict[tuple[str, str | None], list[Finding]] = {}
    for one in findings:
        groups.setdefault((one.check, one.user_id), []).append(one)
    for (check, user_id), group in groups.items():
        ids = [one.id for one in group[:IDS_SHOWN]] + (
            [f"and {len(group) - IDS_SHOWN} more"] * (len(group) > IDS_SHOWN)
        )
        first, whose = group[0], Text(shown(user_id or ""))
        table.add_row(first.rule, check, str(len(group)), first.says, whose, Text("\n".join(ids), "dim"))
    return table


def told(event: EventOut) -> str:
    """What happened, in words."""
    try:
        return WORDS.get(event.kind, _counts)(event.numbers)
    except KeyError:  # written by another version, with other numbers
        return _counts(event.numbers)


def _heat(n: Numbers) -> str:
    parts = f"{_number(n['n_visit'])} visits, length {_number(n['l_interaction'])}, recency {n['recency']:.2f}"
    return f"heat {n['heat']:.2f}: {parts}, idle for {_number(n['idle_s'] / 3600)} h"


def _migrated(n: Numbers) -> str:
    score = f"{n['best_score']:.2f} = cosine {n['cosine']:.2f} + keywords {n['jaccard']:.2f}"
    joined = f"{_number(n['joined'])} known topics joined, best score {score} (threshold {_number(n['threshold'])})"
    return f"{_many(n['pages'], 'turn')} moved to mid-term memory; {joined}"


def _archived(n: Numbers) -> str:
    return f"a topic was archived; {_heat(n)}" if "heat" in n else f"{_many(n['facts'], 'fact')} archived"


def _crossed(n: Numbers) -> str:
    way = "rose over" if n["heat"] >= n["threshold"] else "fell below"
    return f"a topic {way} {_number(n['threshold'])}, from {n['before']:.2f}; {_heat(n)}"


def _answered(n: Numbers) -> str:
    how = "said that it does not know" if n["abstained"] else f"answered, with {_many(n['citations'], 'citation')}"
    spent = f", {_many(n['model_calls'], 'model call')}" if n["model_calls"] else ""
    return f"{how}; {_many(n['used'], 'thing')} shown{spent}"


def _decided(how: str) -> Callable[[Numbers], str]:
    def words(n: Numbers) -> str:
        return f"a fact was {how}; {_many(n['facts'], 'new version')}, {_number(n['superseded'])} replaced"

    return words


def _read(n: Numbers) -> str:
    return ", ".join(f"{verb}: {_many(found, 'thing')} given out" for verb, found in n.items())


def _gone(n: Numbers) -> str:
    went = [_many(n[f"{thing}s"], thing) for thing in ("page", "fact", "answer") if n.get(f"{thing}s")]
    changed = [f"{_many(n['pages_changed'], 'turn')} lost words"] if n["pages_changed"] else []
    return ", ".join([*went, *changed, f"{_many(n['made_anew'], 'thing')} made anew"])


def _counts(n: Numbers) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {_number(value)}" for name, value in n.items())


def _many(count: float, thing: str) -> str:
    return f"{_number(count)} {thing}{'' if count == 1 else 's'}"


def _number(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else f"{value:.2f}"


WORDS: dict[str, Callable[[Numbers], str]] = {
    "remember": lambda n: f"{_many(n['pages'], 'turn')} stored",
    "index": lambda n: f"{_many(n['pages'], 'turn')} indexed",
    "migrate": _migrated,
    "promote": lambda n: f"a topic was read, {_many(n['facts'], 'new fact')}; {_heat(n)}",
    "heat": _crossed,
    "archive": _archived,
    "summarize": lambda n: f"{_many(n['segments'], 'topic')} summed up by the model",
    "answer": _answered,
    "read": _read,
    "export": lambda n: "evidence made" if "evidence" in n else "exported",
    "repair": lambda n: f"the doctor mended {_counts(n)}",
    "retry": lambda n: f"{_many(n['runs'], 'failed run')} made due again",
    "state": _decided("stated by hand"),
    "correct": _decided("corrected: it was never so"),
    "change": _decided("changed: it was so until then"),
    "retract": _decided("retracted"),
    "restore": _decided("restored"),
    "confirm": _decided("confirmed"),
    "pin": lambda n: "a fact was pinned" if n["pinned"] else "a fact was let go from its pin",
    "retention": lambda n: f"{_many(n['runs'], 'old run')} and {_many(n['versions'], 'old topic version')} deleted",
    "forget": lambda n: f"forgotten for good: {_gone(n)}",
    "forget_everything": lambda n: f"everything forgotten for good: {_gone(n)}",
    "profile_rollback": lambda n: (
        f"profile set back to version {_number(n['version'])}: {_many(n['restored'], 'fact')} restored, "
        f"{_number(n['retired'])} retired"
    ),
}
