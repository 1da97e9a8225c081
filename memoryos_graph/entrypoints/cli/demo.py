"""The sample conversation: load it, and show what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from . import render
from .console import Format, fail, note, out, print_json, progress
from .options import Output, format_of
from .session import WorkBars, drain, run_async, with_service

if TYPE_CHECKING:
    from memoryos_graph.contract import FactOut, SearchResult, SegmentOut, Why
    from memoryos_graph.demo.load import Loaded
    from memoryos_graph.service import MemoryService
    from memoryos_graph.settings import Settings
    from memoryos_graph.user_memory import UserMemory

QUESTIONS = ("Which city do I live in?", "What am I allergic to?", "我的猫叫什么?")
MOVES = "lives_in"
SEGMENTS = 5


@dataclass(frozen=True)
class _Shown:
    """What came of the sample conversation."""

    loaded: Loaded
    facts: list[FactOut]
    moves: list[FactOut]
    why: Why | None
    searches: list[SearchResult]
    segments: list[SegmentOut]


def demo(
    ctx: typer.Context,
    quiet: Annotated[bool, typer.Option("--quiet", help="Only load it.")] = False,
    scripted_model: Annotated[
        bool, typer.Option("--scripted-model", help="Instead serve a model without a model, until Ctrl-C.")
    ] = False,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port of the scripted model; 0 is a free one.")
    ] = 0,
    output: Output = None,
) -> None:
    """Load a sample conversation of the user 'demo' and show what came of it. Repeating it is harmless."""
    if scripted_model:
        _serve_model(port)
        return

    async def work(service: MemoryService) -> _Shown | None:
        loaded = await _load(service)
        return None if quiet else await _look(service.user("demo"), loaded)

    result = run_async(with_service(work))
    if result is None:
        return
    if format_of(ctx, output) is Format.JSON:
        print_json(_plain(result))
    else:
        _show(result)


def _serve_model(port: int) -> None:
    """Speak the OpenAI protocol on this machine; the settings that use it are printed, ready for a shell."""
    from memoryos_graph.demo.scripted_model import MODEL, serve

    def tell(base_url: str) -> None:
        print(f"export MEMORYOS_LLM=model MEMORYOS_LLM_MODEL={MODEL} MEMORYOS_LLM_BASE_URL={base_url}", flush=True)
        note(f"a scripted model answers at {base_url}; use it in another terminal with the line above; Ctrl-C ends it")

    try:
        serve("127.0.0.1", port, tell)
    except OSError as exc:
        fail(f"port {port} can't be opened: {exc.strerror}")


async def load_at_first_start(settings: Settings) -> None:
    """Load the sample conversation unless its user has something already."""
    from memoryos_graph.demo.load import is_loaded

    async def work(service: MemoryService) -> None:
        if not await is_loaded(service):
            await _load(service)

    await with_service(work, settings)


async def _load(service: MemoryService) -> Loaded:
    from memoryos_graph.demo.load import load_demo, sample_turns

    note("loading the sample conversation of the user 'demo'")
    total = len(sample_turns())
    with progress() as bars:
        loaded = await load_demo(service, WorkBars(bars, {"index": total, "migrate": total}))
    note(f"{loaded.created} turns stored, {loaded.turns - loaded.created} were there already")
    return loaded


async def _look(memory: UserMemory, loaded: Loaded) -> _Shown:
    everything = (await memory.facts(status=None, limit=500)).items
    moves = sorted((fact for fact in everything if fact.predicate == MOVES), key=lambda fact: fact.valid_from)
    newest = moves[-1] if moves else None
    searches = [await memory.search(question, top_k=3) for question in QUESTIONS]
    await drain(memory)  # a search is a visit, and visits warm the segments shown below
    return _Shown(
        loaded=loaded,
        facts=[fact for fact in everything if fact.status == "current"],
        moves=moves,
        why=await memory.why(newest.fact_id) if newest else None,
        searches=searches,
        segments=sorted((await memory.segments(limit=500)).items, key=lambda one: -one.heat.heat)[:SEGMENTS],
    )


def _show(result: _Shown) -> None:
    console = out()

    def section(title: str) -> None:
        console.print()
        console.rule(title, align="left")

    from memoryos_graph.contract import FactList, SegmentList

    section("What is known of this user, each with the words that say so")
    console.print(render.facts(FactList(items=result.facts, next_cursor=None)))
    section("Where the user lived, in the order of time")
    for fact in result.moves:
        console.print(render.fact_line(fact))
    if result.why:
        section("Why we think so")
        console.print(render.why(result.why))
    for found in result.searches:
        section(f"Search: {found.query}")
        console.print(render.hits(found, explain=True))
    section("What was talked about; heat = visits + pages + recency")
    console.print(render.segments(SegmentList(items=result.segments, next_cursor=None)))
    section("Go on")
    console.print('memoryos search --user demo "Where did I live before?"')
    console.print("memoryos facts --user demo --all")
    if result.why:
        console.print(f"memoryos why --user demo {result.why.fact.fact_id}")


def _plain(result: _Shown) -> dict[str, object]:
    return {
        "turns": result.loaded.turns,
        "created": result.loaded.created,
        "facts": [fact.model_dump(mode="json") for fact in result.facts],
        "moves": [fact.model_dump(mode="json") for fact in result.moves],
        "why": result.why.model_dump(mode="json") if result.why else None,
        "searches": [found.model_dump(mode="json") for found in result.searches],
        "segments": [one.model_dump(mode="json") for one in result.segments],
    }
