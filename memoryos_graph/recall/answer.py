"""Answers that cite what they rest on, stored with all that they used; only then is the turn whole."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..context import Context
from ..contract import AnswerRequest, AnswerResult, AnswerUsage, Citation, UsedItem, UsedItems
from ..domain.budget import day_of
from ..domain.citations import CitedText
from ..domain.orders import quarantined
from ..domain.page import PageState, answered_hash
from ..domain.policy import Policy
from ..domain.repeats import repeated
from ..domain.screening import blotted, blotted_json, findings_in
from ..domain.text import sentences
from ..domain.usage import ModelCall, total_tokens
from ..errors import MemoryosError, ModelBudgetSpent, ModelError, NotFound, TryAgain
from ..llm.nearness import Nearness
from ..llm.parts import AnswerParts, Item, Passage
from ..llm.provider import Reply, Written
from ..sensitive import find
from ..store.answers import answer_of, answer_properties, citation_row, grouped, used_row
from ..store.connection import Row, Tx
from ..store.records import event_row
from ..store.users import read_policy
from .context import Gathered, gather

OnText = Callable[[str], None]


@dataclass(frozen=True)
class _Asked:
    """The page that asks, and the user's forget_epoch, read before anything that the answer is made from."""

    page_id: str
    forget_epoch: int


async def answer(
    ctx: Context, user_id: str, request: AnswerRequest, page_id: str | None, on_text: OnText | None = None
) -> AnswerResult:
    """Answer a question whose turn is stored as `page_id` already, or, with None, one that leaves no trace.

    What the user's policy keeps out of the memory is blacked out in the question too, before a model sees it.
    Cost: one embedding, one model call, 13 statements. Writes Answer, USED, DERIVED_FROM, the assistant's side of the
    page and Event in one transaction, if nothing that was shown has changed. What was answered before gets that answer.
    Raises ModelUnavailable, ModelReplyInvalid, ModelBudgetSpent, TryAgain (what it rests on changed meanwhile): the
    page stays as it is, with the user's side alone.
    """
    if page_id is None:
        request = _screened(request, await read_policy(ctx.store, user_id))
        gathered = await gather(ctx, user_id, request)
        return (await _ask(ctx, request, gathered, None, on_text)).result
    begun = await _begin(ctx, user_id, page_id)
    if begun["answer_id"]:
        return await _again(ctx, user_id, begun["answer_id"], on_text)
    request = _screened(request, Policy.of(begun["policy"]))
    asked = _Asked(page_id, begun["forget_epoch"])
    calls: list[ModelCall] = []
    try:
        if ctx.settings.budget.resumes_at(
            begun["spent_calls"], begun["spent_tokens"], begun["spent_day"], ctx.clock.now()
        ):
            raise ModelBudgetSpent
        gathered = await gather(ctx, user_id, request, without=page_id)
        said = await _ask(ctx, request, gathered, page_id, on_text)
        calls = list(said.reply.calls)
        return await _store(ctx, user_id, asked, gathered, said)
    except Exception as exc:
        if isinstance(exc, ModelError):
            calls = list(exc.calls)
            ctx.metrics.called(calls)
        with suppress(MemoryosError):  # the question is indexed a little later then
            await _give_up(ctx, user_id, page_id, calls)
        raise


async def get_answer(ctx: Context, user_id: str, answer_id: str) -> AnswerResult:
    """What was asked, said and used. One statement. Raises NotFound."""

    async def read(tx: Tx) -> Row | None:
        return await tx.one("answer_by_id", user_id=user_id, answer_id=answer_id)

    row = await ctx.store.read(user_id, read)
    if row is None:
        raise NotFound("there is no such answer for this user")
    return answer_of(row)


def _screened(request: AnswerRequest, policy: Policy) -> AnswerRequest:
    found = findings_in([request.query, request.metadata], find)
    if not found:
        return request
    kept = {
        "query": blotted(request.query, found, policy),
        "metadata": blotted_json(request.metadata, found, policy),
    }
    return request.model_copy(update=kept)


async def _again(ctx: Context, user_id: str, answer_id: str, on_text: OnText | None) -> AnswerResult:
    """The answer that the same question got before."""
    result = await get_answer(ctx, user_id, answer_id)
    if on_text is not None:
        on_text(result.text)
    return result


async def _begin(ctx: Context, user_id: str, page_id: str) -> Row:
    async def read(tx: Tx) -> Row | None:
        return await tx.one("answer_begins", user_id=user_id, page_id=page_id)

    row = await ctx.store.read(user_id, read)
    if row is None:
        raise TryAgain("the user was removed meanwhile; ask again")
    return row


@dataclass(frozen=True)
class _Said:
    """What the provider wrote, checked."""

    reply: Reply[Written]
    cited: CitedText
    result: AnswerResult


async def _ask(
    ctx: Context, request: AnswerRequest, gathered: Gathered, page_id: str | None, on_text: OnText | None
) -> _Said:
    now = ctx.clock.now()
    parts = AnswerParts(
        question=request.query,
        now=request.event_time or now,
        items=gathered.items,
        disputes=gathered.disputes,
        weak=gathered.result.weak,
        relationship=request.relationship,
        style_hint=request.style_hint,
        system=request.system,
        metadata=request.metadata,
    )
    cited = CitedText(frozenset(item.marker for item in gathered.items))
    reply = await ctx.provider.answer(parts, _checked(cited, on_text) if on_text else None)
    ctx.metrics.called(reply.calls)
    if not on_text:
        cited.feed(reply.value.text)
    rest = cited.finish()
    if on_text and rest:
        on_text(rest)
    result = await asyncio.to_thread(_result, ctx, request, gathered, reply, cited, now)
    return _Said(reply, cited, result)


def _checked(cited: CitedText, on_text: OnText) -> OnText:
    def told(piece: str) -> None:
        if shown := cited.feed(piece):
            on_text(shown)

    return told


def _result(
    ctx: Context,
    request: AnswerRequest,
    gathered: Gathered,
    reply: Reply[Written],
    cited: CitedText,
    now: datetime,
) -> AnswerResult:
    items = {item.marker: item for item in gathered.items}
    tokens_in, tokens_out = total_tokens(reply.calls)
    notes = list(gathered.result.notes)
    if reply.value.extractive and (request.style_hint or request.system or request.relationship):
        notes.append("no language model is set: style_hint, system and relationship were not used")
    return AnswerResult(
        answer_id=None,
        page_id=None,
        at=now,
        question=request.query,
        text=cited.text.strip(),
        citations=_citations(cited, items),
        citations_removed=cited.removed,
        used=_used(gathered.items, set(cited.cited)),
        conflicts=gathered.result.conflicts,
        abstained=cited.nothing and not cited.cited,
        extractive=reply.value.extractive,
        weak=gathered.result.weak,
        usage=AnswerUsage(
            model=reply.model,
            model_calls=len(reply.calls),
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            context_tokens=gathered.result.tokens.total,
        ),
        cuts=gathered.result.cuts,
        notes=notes,
        degraded=gathered.result.degraded,
    )


def _citations(cited: CitedText, items: Mapping[int, Item]) -> list[Citation]:
    """Each marker with the words it stands for: all quotes of a fact, of a page the sentence nearest to the answer."""
    found: dict[tuple[int, str, str, int], Citation] = {}
    for marker, place in cited.places:
        item = items[marker]
        for passage in item.passages if item.kind == "fact" else [_nearest(item, cited.text[:place])]:
            citation = _citation(item, passage)
            found.setdefault((marker, passage.page_id, passage.side, citation.start), citation)
    return sorted(found.values(), key=lambda one: one.marker)


def _citation(item: Item, passage: Passage) -> Citation:
    return Citation(
        marker=item.marker,
        kind=item.kind,
        fact_id=item.id if item.kind == "fact" else None,
        page_id=passage.page_id,
        side=passage.side,
        start=passage.start,
        end=passage.end,
        quote=passage.text,
        event_time=passage.said_at,
    )


def _nearest(item: Item, before: str) -> Passage:
    """The sentence of a page that is nearest to the sentence in the answer that a marker ends."""
    said = Nearness(_last_sentence(before))
    best: tuple[int, Passage] | None = None
    for passage in item.passages:
        place, spans = said.best(passage.text)
        start, end = spans[place]
        text = passage.text[start:end]
        sentence = Passage(
            passage.page_id, passage.side, passage.start + start, passage.start + end, text, passage.said_at
        )
        hits = said.hits(text)
        if best is None or hits > best[0]:
            best = (hits, sentence)
    assert best is not None, "a page is shown with some of its words"
    return best[1]


def _last_sentence(text: str) -> str:
    spans = sentences(text)
    return text[slice(*spans[-1])] if spans else text


def _used(items: Sequence[Item], cited: set[int]) -> UsedItems:
    return grouped((_used_item(item, item.marker in cited), item.tier) for item in items)


def _used_item(item: Item, cited: bool) -> UsedItem:
    return UsedItem(
        marker=item.marker,
        kind=item.kind,
        id=item.id,
        part=item.part,
        rank=item.rank,
        score=item.score,
        parts=dict(item.parts),
        shortened=item.shortened,
        cited=cited,
    )


async def _store(ctx: Context, user_id: str, asked: _Asked, gathered: Gathered, said: _Said) -> AnswerResult:
    """Write the answer and all that it rests on, under the lock, if nothing of it has changed. Five statements."""
    answer_id, lock, now = ctx.clock.new_id(), ctx.clock.new_id(), ctx.clock.now()
    result = said.result.model_copy(update={"answer_id": answer_id, "page_id": asked.page_id})
    links = await asyncio.to_thread(_links, gathered, said, now)
    found = findings_in(result.text, find)
    pages, facts = _inputs(gathered)

    async def write(tx: Tx) -> tuple[str, list[str]]:
        user = await tx.one("lock_user", user_id=user_id, lock=lock)
        inputs = await tx.one("answer_inputs", user_id=user_id, page_id=asked.page_id, pages=pages, facts=facts)
        if user is None or inputs is None or user["forget_epoch"] != asked.forget_epoch:
            raise TryAgain("the memory was changed while the answer was written; ask again")
        if inputs["page"].get("answer_id"):  # another request with the same id was first
            return inputs["page"]["answer_id"], []
        if inputs["unchanged"] != len(pages) + len(facts):
            raise TryAgain("the memory was changed while the answer was written; ask again")
        policy = Policy.of(user["policy"])
        kept = result.model_copy(update={"text": blotted(result.text, found, policy)})
        await tx.run(
            "write_answer",
            user_id=user_id,
            page_id=asked.page_id,
            answer=_answer_node(user_id, kept, gathered, said),
            filled=_filled(inputs["page"], kept),
            now=now,
            day=day_of(now),
            calls=len(said.reply.calls),
            tokens=sum(total_tokens(said.reply.calls)),
        )
        row = await tx.one(
            "write_answer_links", user_id=user_id, answer_id=answer_id, page_id=asked.page_id, now=now, **links
        )
        await tx.run("append_event", user_id=user_id, event=_event(ctx, user_id, user, result, now))
        return answer_id, row["segment_ids"] if row else []

    stored, segment_ids = await ctx.store.write(user_id, write)
    if stored != answer_id:
        return await get_answer(ctx, user_id, stored)
    if segment_ids:
        ctx.visits.add(user_id, segment_ids, now)
    ctx.metrics.answers.inc()
    return result


def _inputs(gathered: Gathered) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """What was shown, as it was: the ids with what must not have changed."""
    pages = [item.id for item in gathered.items if item.kind == "page"]
    facts = [gathered.facts[item.id] for item in gathered.items if item.kind == "fact"]
    return (
        [{"page_id": page_id, "content_hash": gathered.pages[page_id].content_hash} for page_id in pages],
        [{"fact_id": fact.fact_id, "status": fact.status.value, "text": fact.text} for fact in facts],
    )


def _filled(page: Row, result: AnswerResult) -> dict[str, Any]:
    """What changes of the page that asked: it gets its other side, and is to be indexed with both."""
    asked_hash = page.get("asked_hash") or page["content_hash"]
    return {
        "assistant_response": result.text,
        "asked_hash": asked_hash,
        "content_hash": answered_hash(asked_hash, result.text),
        "answer_id": result.answer_id,
        "abstained": result.abstained,
        "quarantined": [*(page.get("quarantined") or ()), *quarantined({"assistant": result.text})] or None,
        "state": PageState.STORED.value,
        "attempts": 0,
    }


def _answer_node(user_id: str, result: AnswerResult, gathered: Gathered, said: _Said) -> dict[str, Any]:
    tokens = gathered.result.tokens
    parts = {"recent": tokens.recent, "evidence": tokens.evidence, "persona": tokens.persona, "total": tokens.total}
    return answer_properties(result, said.reply.prompt_hash, parts) | {"user_id": user_id}


def _links(gathered: Gathered, said: _Said, now: datetime) -> dict[str, Any]:
    """The rows of all relationships of an answer and of the page that holds it."""
    items = {item.marker: item for item in gathered.items}
    used = [(one, tier) for tier in ("stm", "mtm", "lpm") for one in getattr(said.result.used, tier)]
    cited = set(said.cited.cited)
    words = {item.id: item.words for item in gathered.items}
    repeats = repeated(said.cited.text, said.result.question, words)
    sources = [item for item in gathered.items if item.marker in cited or item.id in repeats]
    return {
        "used_pages": [used_row(one, tier) for one, tier in used if one.kind == "page"],
        "used_facts": [used_row(one, tier) for one, tier in used if one.kind == "fact"],
        "citations": [citation_row(one, now) for one in said.result.citations],
        "cited_facts": [
            {"id": items[marker].id, "properties": {"role": "cited", "marker": marker, "at": now}}
            for marker in sorted(cited)
            if items[marker].kind == "fact"
        ],
        "source_pages": [_source(item, cited, now) for item in sources if item.kind == "page"],
        "source_facts": [_source(item, cited, now) for item in sources if item.kind == "fact"],
    }


def _source(item: Item, cited: set[int], now: datetime) -> dict[str, Any]:
    role = "cited" if item.marker in cited else "repeated"
    return {"id": item.id, "properties": {"side": "assistant", "role": role, "at": now}}


def _event(ctx: Context, user_id: str, user: Row, result: AnswerResult, now: datetime) -> dict[str, object]:
    used = result.used
    numbers = {
        "citations": len(result.citations),
        "citations_removed": result.citations_removed,
        "used": len(used.stm) + len(used.mtm) + len(used.lpm),
        "abstained": result.abstained,
        "model_calls": result.usage.model_calls,
        "tokens_in": result.usage.tokens_in,
        "tokens_out": result.usage.tokens_out,
    }
    ids = [str(result.answer_id), str(result.page_id)]
    return event_row(ctx.secret, user_id, user, "answer", now, ids, numbers)


async def _give_up(ctx: Context, user_id: str, page_id: str, calls: Sequence[ModelCall]) -> None:
    now, lock = ctx.clock.now(), ctx.clock.new_id()

    async def write(tx: Tx) -> None:
        await tx.run("lock_user", user_id=user_id, lock=lock)
        await tx.run(
            "give_up_answer",
            user_id=user_id,
            page_id=page_id,
            now=now,
            day=day_of(now),
            calls=len(calls),
            tokens=sum(total_tokens(calls)),
        )

    await ctx.store.write(user_id, write)
