"""Results as tables and trees for people."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from .console import shown

if TYPE_CHECKING:
    from memoryos_graph.contract import (
        Decided,
        FactHistory,
        FactList,
        FactOut,
        HeatOut,
        Hit,
        KeyOut,
        PageSource,
        ProfileDiff,
        ProfileOut,
        ProfileVersionList,
        Reembedded,
        RollbackOut,
        RunOut,
        SearchResult,
        SegmentDetail,
        SegmentList,
        SegmentOut,
        Source,
        Stats,
        TurnDetail,
        TurnList,
        TurnStored,
        Why,
    )
    from memoryos_graph.store.managed import ServerStatus

STATUS_STYLE = {"current": "green", "superseded": "yellow", "retracted": "red", "conflicted": "magenta"}
STATE_STYLE = {"done": "green", "failed": "red", "parked": "bold red", "running": "yellow"}
LINE = 400
NARROW = ("when", "since", "newest", "took", "heat")


def stored(turn: TurnStored) -> RenderableType:
    """The acknowledgement of one turn."""
    what = "stored as" if turn.created else "already there as"
    return Text.assemble(f"{what} page ", (turn.page_id, "bold"), f" ({turn.state.value})")


def turns(result: TurnList) -> RenderableType:
    """Turns, newest first."""
    if not result.items:
        return Text("no turns")
    table = _table("when", "turn", "where")
    for turn in result.items:
        said = Text("\n").join([*_sides(turn.user_input, turn.assistant_response), _dim(turn.page_id)])
        where = Text(f"{turn.tier.value}, {turn.state.value}\n").append_text(_dim(turn.conversation_id))
        table.add_row(_minute(turn.event_time), said, where)
    return _listed(table, result.next_cursor)


def hits(result: SearchResult, *, explain: bool) -> RenderableType:
    """Search results, best first, each with its sources, and what is not shown."""
    parts: list[RenderableType] = [_hit(n, hit, explain) for n, hit in enumerate(result.hits, 1)]
    if not parts:
        parts.append(Text("nothing found"))
    if result.suppressed:
        counted = ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in result.suppressed.items())
        parts.append(_dim(f"not shown: {counted}"))
    parts.extend(_dim(f"note: {text}") for text in result.notes)
    return Group(*parts)


def _hit(n: int, hit: Hit, explain: bool) -> RenderableType:
    head = Text.assemble(
        (f"{n:>2}. ", "bold"), (f"{hit.score:.3f} ", "cyan"), f"{hit.kind} ", (_day(hit.event_time), "dim")
    )
    if hit.status is not None and hit.status != "current":
        head.append(f" {hit.status.value}", STATUS_STYLE.get(hit.status.value, "dim"))
    lines: list[Text] = [_line(hit.text)]
    lines.extend(_quote(source) for source in hit.sources if hit.kind == "fact")
    if explain:
        lines.append(_dim(" + ".join(f"{name} {value:.3f}" for name, value in hit.parts.items())))
    lines.append(_dim(hit.id))
    return Group(head, Padding(Group(*lines), (0, 0, 0, 4)))


def facts(result: FactList, *, empty: str = "no facts") -> RenderableType:
    """Facts with their words, newest first; `empty` says of what there are none (case L26)."""
    if not result.items:
        return Text(shown(empty))
    table = _table("fact", "said", "since", "status")
    for fact in result.items:
        said = Text("\n").join(_quote(source) for source in fact.sources)
        table.add_row(_fact(fact), said, _span(fact), _status(fact))
    return _listed(table, result.next_cursor)


def history(result: FactHistory) -> RenderableType:
    """Versions of a fact in order of the world, with what became of each."""
    table = _table("fact", "since", "status", "believed", "became")
    texts = {fact.fact_id: shown(fact.text) for fact in result.items}
    for fact in result.items:
        became = [f"{link.kind}: {texts[link.newer]}" for link in result.supersessions if link.older == fact.fact_id]
        became += [f"ended: “{shown(source.quote)}”" for source in fact.ends]
        became += [f"disagrees: {texts[other]}" for other in fact.conflicts_with]
        believed = f"{_day(fact.recorded_at)} –" + (f" {_day(fact.retired_at)}" if fact.retired_at else "")
        table.add_row(_fact(fact), _span(fact), _status(fact), believed, Text("\n".join(became)))
    return table


def decided(result: Decided) -> RenderableType:
    """A fact after a decision about it."""
    fact = result.fact
    now = Text.assemble((fact.fact_id, "bold"), " ", shown(fact.text), " ", _status(fact))
    older = [_dim(f"in place of {other}") for other in fact.supersedes]
    return Group(now, *older, _dim(f"event {result.event.seq}: {result.event.kind}"))


def profile(result: ProfileOut) -> RenderableType:
    """The text of a profile, and its version."""
    text = "\n".join(shown(line) for line in result.text.splitlines())
    return Group(Text(text or "nothing is known"), _dim(f"version {result.version}"))


def profile_versions(result: ProfileVersionList) -> RenderableType:
    """Versions with what each changed."""
    if not result.items:
        return Text("no versions")
    table = _table("version", "when", "changed")
    for one in result.items:
        signed = [(sign, fact) for sign, facts in (("+", one.added), ("-", one.removed)) for fact in facts]
        table.add_row(str(one.version), _minute(one.at), _signed(signed))
    return _listed(table, result.next_cursor)


def profile_diff(result: ProfileDiff) -> RenderableType:
    """What the later profile has more, and what less."""
    signed = [(sign, fact) for sign, facts in (("+", result.added), ("-", result.removed)) for fact in facts]
    return _signed(signed) if signed else Text("no difference")


def _signed(facts: Sequence[tuple[str, FactOut]]) -> Text:
    styles = {"+": "green", "-": "red"}
    return Text("\n").join(Text(f"{sign} {shown(fact.text)}", styles[sign]) for sign, fact in facts)


def rolled_back(result: RollbackOut) -> RenderableType:
    """What a rollback did."""
    done = f"{len(result.restored)} facts hold again, {len(result.retired)} are withdrawn"
    gone = f", {result.gone} were forgotten" if result.gone else ""
    return Text(f"version {result.version} has the facts of version {result.restored_version}: {done}{gone}")


def fact_line(fact: FactOut) -> RenderableType:
    """One fact in one line."""
    return Text.assemble(f"{_span(fact)} ", shown(fact.text), " ", _status(fact))


def _fact(fact: FactOut) -> Text:
    text = Text(shown(fact.text)).append("\n").append_text(_dim(f"{fact.predicate}: {shown(fact.object)}"))
    return text.append("\n").append_text(_dim(fact.fact_id))


def why(result: Why | TurnDetail) -> RenderableType:
    """The tree below a fact, or what came of a page."""
    from memoryos_graph.contract import Why

    return _fact_tree(result) if isinstance(result, Why) else _page_tree(result)


def _fact_tree(result: Why) -> RenderableType:
    fact = result.fact
    head = Text.assemble((shown(fact.text), "bold"), " ", _status(fact), f" {_span(fact)}")
    tree = Tree(head.append("\n").append_text(_dim(f"fact {fact.fact_id}, version {fact.version}, {fact.kind.value}")))
    for page in result.pages:
        _add_source(tree, page)
    read = tree.add(Text(f"read by {shown(result.extractor)}"))
    read.add(_dim(f"model {shown(result.model)}, prompt {result.prompt_hash[:12]}, confidence {fact.confidence:.2f}"))
    if result.replaced:
        older = tree.add(Text("in place of"))
        for one in result.replaced:
            older.add(Text.assemble(shown(one.text), " ", _status(one), f" {_span(one)}\n", _dim(one.fact_id)))
    if result.conflicts:
        others = tree.add(Text("disagrees with"))
        for one in result.conflicts:
            others.add(Text.assemble(shown(one.text), " ", _status(one), f" {_span(one)}\n", _dim(one.fact_id)))
    if fact.superseded_by:
        tree.add(_dim(f"replaced by {', '.join(fact.superseded_by)}"))
    return tree


def _add_source(tree: Tree, page: PageSource) -> None:
    source = page.source
    node = tree.add(_quote(source).append(" says that it ended" if page.ends else ""))
    sides = {"user": page.user_input, "assistant": page.assistant_response}
    if source.side.value not in sides:  # what tools returned: the quote says it all
        return
    text = Text(shown(sides[source.side.value]))
    text.stylize("bold yellow", source.start, source.end)
    said = Text.assemble((f"{source.side.value}: ", "dim"), text)
    node.add(said.append("\n").append_text(_dim(f"page {source.page_id}, characters {source.start}–{source.end}")))


def _page_tree(page: TurnDetail) -> RenderableType:
    head = Text("\n").join(_sides(page.user_input, page.assistant_response, length=LINE * 5))
    about = f"page {page.page_id}, {_minute(page.event_time)}, {page.tier.value}, {page.state.value}"
    tree = Tree(head.append("\n").append_text(_dim(about)))
    made = tree.add(Text(f"{len(page.facts)} facts"))
    for fact in page.facts:
        quotes = [_quote(source) for source in fact.sources if source.page_id == page.page_id]
        made.add(Text("\n").join([Text.assemble(shown(fact.text), " ", _status(fact)), *quotes, _dim(fact.fact_id)]))
    topics = tree.add(Text(f"{len(page.segments)} segments"))
    for one in page.segments:
        numbers = (
            f"joined with {one.score:.2f} = cosine {one.cosine:.2f} + words {one.jaccard:.2f}, from {one.threshold:.2f}"
        )
        topics.add(Text.assemble(one.segment_id, " ", _dim(numbers)))
    if page.chain_id:
        tree.add(Text.assemble("chain ", page.chain_id))
    return tree


def segments(result: SegmentList) -> RenderableType:
    """Topics with their heat."""
    if not result.items:
        return Text("no segments")
    table = _table("heat", "visits + pages + recency", "pages", "topic", "newest")
    for one in result.items:
        topic = Text(", ".join(map(shown, one.keywords[:6])), "bold")
        topic = topic.append("\n").append_text(_line(one.summary, 160)).append("\n").append_text(_dim(one.segment_id))
        unread = f"\n{one.n_unread} unread" if one.n_unread else ""
        table.add_row(
            _heat(one.heat), _heat_parts(one.heat), f"{one.n_pages}{unread}", topic, _day(one.newest_event_at)
        )
    return _listed(table, result.next_cursor)


def segment(result: SegmentDetail) -> RenderableType:
    """One topic with its pages and the numbers of their joins."""
    table = _table("when", "page", "score", "cosine", "words")
    for page in result.pages:
        said = _line(page.text, 160).append("\n").append_text(_dim(page.page_id))
        table.add_row(_day(page.event_time), said, f"{page.score:.2f}", f"{page.cosine:.2f}", f"{page.jaccard:.2f}")
    return Group(_segment_head(result), table)


def _segment_head(one: SegmentOut) -> Text:
    head = Text.assemble((", ".join(map(shown, one.keywords)), "bold"), "\n", _line(one.summary), "\n")
    return head.append("heat ").append_text(_heat(one.heat)).append(f" = {_heat_parts(one.heat)}\n")


def _heat(heat: HeatOut) -> Text:
    hot = heat.heat >= heat.threshold
    return Text(f"{heat.heat:.2f}", "bold red" if hot else "blue")


def _heat_parts(heat: HeatOut) -> str:
    return f"{heat.n_visit} + {heat.l_interaction} + {heat.recency:.2f}"


def stats(result: Stats) -> RenderableType:
    """Counts, one a line."""
    table = Table.grid(padding=(0, 2))
    table.add_row("pages", _counts(result.pages))
    table.add_row("states", _counts(result.states))
    table.add_row("facts", _counts(result.facts))
    for name in ("conversations", "sessions", "chains", "segments"):
        table.add_row(name, str(getattr(result, name)))
    table.add_row("heat", _counts(result.heat_histogram))
    table.add_row("work due", "yes" if result.due else "no")
    table.add_row("failed runs", str(result.failed_runs))
    return table


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count) or "0"


def runs(items: Sequence[RunOut], cursor: str | None = None, *, empty: str = "nothing to do") -> RenderableType:
    """Runs with what they did; `empty` says of what there are none (case L26)."""
    if not items:
        return Text(shown(empty))
    table = _table("run", "state", "did", "took", "id")
    for run in items:
        did = _counts(run.counts)
        if run.rejected:
            did += f"; rejected: {_counts(run.rejected)}"
        state = Text(run.state, STATE_STYLE.get(run.state, ""))
        if run.error_code:
            state.append(f"\n{run.error_code}, try {run.attempts}" if run.attempts else f"\n{run.error_code}")
        table.add_row(run.kind, state, did, _took(run), _dim(run.run_id))
    return _listed(table, cursor)


def reembedded(result: Reembedded) -> RenderableType:
    """Of which model the vectors are now, and what was embedded for it."""
    vectors = _counts(result.vectors) if any(result.vectors.values()) else "nothing to do"
    return Text(shown(f"{result.model}, {result.dimension} numbers (before: {result.model_before}): {vectors}"))


def _took(run: RunOut) -> str:
    return f"{(run.ended_at - run.started_at).total_seconds():.2f} s" if run.ended_at else ""


def server(status: ServerStatus) -> RenderableType:
    """The managed server, one property a line."""
    table = Table.grid(padding=(0, 2))
    table.add_row(
        "state", f"{status.state}{', stays until `memoryos db stop`' if status.kept and status.running else ''}"
    )
    table.add_row("version", f"Neo4j Community {status.version}")
    table.add_row("address", status.uri or "-")
    table.add_row("process", str(status.pid) if status.pid else "-")
    table.add_row("folder", str(status.home))
    table.add_row("on disk", f"{status.disk_bytes / 1e6:.1f} MB")
    table.add_row("restarts", str(status.restarts))
    return table


def rows(found: Sequence[dict[str, object]]) -> RenderableType:
    """Rows of a Cypher query."""
    if not found:
        return Text("no rows")
    table = _table(*found[0])
    for row in found:
        table.add_row(*(_line(_cell(value)) for value in row.values()))
    return table


def _cell(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)


def _table(*columns: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="bold")
    for column in columns:
        table.add_column(Text(shown(column)), overflow="fold", no_wrap=column in NARROW)
    return table


def _listed(table: Table, cursor: str | None) -> RenderableType:
    return Group(table, _dim(f"more: --cursor {cursor}")) if cursor else table


def _sides(user_input: str, assistant_response: str, length: int = LINE) -> list[Text]:
    sides = (("user", user_input), ("assistant", assistant_response))
    return [Text.assemble((f"{who}: ", "dim"), _line(text, length)) for who, text in sides if text.strip()]


def _quote(source: Source) -> Text:
    return Text.assemble("“", (shown(source.quote), "italic"), "” ", (_day(source.event_time), "dim"))


def _status(fact: FactOut) -> Text:
    return Text(fact.status.value, STATUS_STYLE.get(fact.status.value, ""))


def _span(fact: FactOut) -> str:
    return f"{_day(fact.valid_from)} –" + (f" {_day(fact.valid_to)}" if fact.valid_to else "")


def _line(text: str, length: int = LINE) -> Text:
    words = " ".join(shown(text).split())
    return Text(words if len(words) <= length else words[: length - 1] + "…")


def _dim(text: str) -> Text:
    return Text(text, "dim")


def _day(at: datetime) -> str:
    return at.strftime("%Y-%m-%d")


def _minute(at: datetime) -> str:
    return at.strftime("%Y-%m-%d %H:%M")


def keys(items: Sequence[KeyOut]) -> RenderableType:
    """Keys without their secrets."""
    if not items:
        return Text("no keys: only this machine is answered, without one")
    table = _table("key", "users", "scopes", "made", "revoked")
    for key in items:
        users = "all" if key.users == "*" else ", ".join(map(shown, key.users))
        label = Text(shown(key.label)).append("\n").append_text(_dim(key.key_id))
        revoked = _minute(key.revoked_at) if key.revoked_at else ""
        table.add_row(label, users, ", ".join(key.scopes), _minute(key.created_at), revoked)
    return table


def differences(found: Mapping[str, Any]) -> RenderableType:
    """What two snapshots tell differently, one a line: + added, - lost, ~ changed."""
    table = Table.grid(padding=(0, 2))
    for part, difference in found.items():
        for name in difference["added"]:
            table.add_row("+", part, Text(shown(name)))
        for name in difference["lost"]:
            table.add_row("-", part, Text(shown(name)))
        for name, change in difference["changed"].items():
            table.add_row("~", part, Text(shown(f"{name}: {change}")))
    return table if found else Text("no difference")


def figures(result: Mapping[str, Any]) -> RenderableType:
    """Nested figures, one a line, each with its path."""
    table = Table.grid(padding=(0, 2))
    for path, value in _leaves(result):
        table.add_row(".".join(path), f"{value:.3f}" if isinstance(value, float) else Text(shown(str(value))))
    return table


def _leaves(value: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, item in value.items():
        if isinstance(item, Mapping):
            yield from _leaves(item, (*path, name))
        else:
            yield (*path, name), item
