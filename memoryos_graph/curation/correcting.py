"""Decisions of callers about facts: correct, change, retract, restore, confirm, and facts stated by hand.

wording.py           from the caller's words to a claim
domain/decision.py   what may be decided, and what it makes of the facts
writing.py           the page, the facts and the event, in one transaction
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from ..context import Context
from ..contract import CorrectRequest, Decided, DecideRequest, StateRequest
from ..domain.act import ActKind
from ..domain.claim import Claim, Stance
from ..domain.decision import decide, objection, state
from ..domain.event import EventKind
from ..domain.fact import Fact
from ..domain.ledger import Ledger
from ..domain.orders import reads_like_orders
from ..domain.policy import BLACKED, Action, Policy
from ..domain.predicates import touched_predicates
from ..domain.screening import Found, findings_in, found_with
from ..domain.segment import topic_text
from ..errors import Conflict, InvalidInput, NotFound, TryAgain
from ..sensitive import classes_of, classified, find
from ..store.connection import Row, Tx
from ..store.ledger import read_known
from . import wording
from .requests import Sent, noted, repeated, sent
from .writing import Decision, locked, write_decision

_EVENTS: Mapping[ActKind, EventKind] = {
    ActKind.CORRECT: "correct",
    ActKind.CHANGE: "change",
    ActKind.RETRACT: "retract",
    ActKind.RESTORE: "restore",
    ActKind.CONFIRM: "confirm",
}
_STANCES = {ActKind.CORRECT: Stance.CORRECTS, ActKind.CHANGE: Stance.CHANGES}


async def correct(
    ctx: Context, user_id: str, kind: ActKind, fact_id: str, request: CorrectRequest, *, key: str | None = None
) -> Decided:
    """Put another fact in the place of one: it was never so (correct), or is so no longer (change).

    A correction also renews the summaries of topics that told the old value. Cost: one call for embeddings, no model,
    the same number of statements whatever the fact. Writes Page, Fact, DERIVED_FROM, SUPERSEDES, SegmentVersion,
    ProfileVersion, Event. Raises NotFound, Conflict (a stale version, or a fact that can't be decided
    about so), InvalidInput, ModelUnavailable: nothing was written. With the `key` of a request that was answered within
    a day the answer is that one, and nothing is written.
    """
    told = sent(ctx, user_id, key, kind.value, fact_id, request)
    if done := await _answered(ctx, user_id, told):
        return done
    known = await _known(ctx, user_id, fact_id)
    _past(ctx, request.valid_from)
    text = request.text if request.text is not None else wording.text_with(known["fact"], str(request.object))
    words = _words(ctx, text)
    claim = _classified(wording.corrected(known["fact"], words, request.object, request.valid_from))
    claim = replace(claim, stance=_STANCES[kind])
    return await _decide(ctx, user_id, kind, fact_id, known, words, claim, request, told)


async def uphold(
    ctx: Context, user_id: str, kind: ActKind, fact_id: str, request: DecideRequest, *, key: str | None = None
) -> Decided:
    """Take a fact back (retract), let it hold again (restore), or settle that it holds (confirm). As `correct` else.

    A restored or confirmed fact is stated anew, on a page of its own with the words of the fact.
    """
    told = sent(ctx, user_id, key, kind.value, fact_id, request)
    if done := await _answered(ctx, user_id, told):
        return done
    known = await _known(ctx, user_id, fact_id)
    fact = known["fact"]
    words = _words(ctx, wording.denial(fact) if kind is ActKind.RETRACT else fact["text"])
    return await _decide(ctx, user_id, kind, fact_id, known, words, wording.same(fact, words), request, told)


async def state_fact(ctx: Context, user_id: str, request: StateRequest, *, key: str | None = None) -> Decided:
    """Keep a fact that a caller states by hand, on a page of origin `manual`. Costs and errors as `correct`.

    The user need not exist yet. What contradicts a fact is treated as if it had been said in a turn.
    """
    told = sent(ctx, user_id, key, "state", "", request)
    if done := await _answered(ctx, user_id, told):
        return done
    words = _words(ctx, request.text)
    claim = _classified(wording.stated(words, request.predicate, request.object, request.valid_from))
    decision = Decision(
        kind="state",
        page_id=words.page_id,
        text=words.text,
        origin="manual",
        conversation_id=request.conversation_id or request.assistant_id,
        assistant_id=request.assistant_id,
        session_id=ctx.clock.new_id(),
        fact_id=ctx.clock.new_id(),
        claim=claim,
        vector=(await ctx.embedder.embed([claim.text], "document"))[0],
    )
    lock, stem, now = ctx.clock.new_id(), ctx.clock.new_id(), ctx.clock.now()

    found = findings_in([words.text, claim.object], find)

    async def write(tx: Tx) -> Decided:
        user, at = await locked(ctx, tx, user_id, lock, now, makes_user=True)
        if done := await repeated(ctx, tx, user_id, told):
            return done
        _allowed(user, found)
        ledger = await _ledger(tx, user_id, claim.predicate, at, stem)
        fact = state(ledger, claim, decision.fact_id, at)
        done = await write_decision(ctx, tx, user_id, user, decision, ledger, fact, at)
        return await noted(tx, user_id, told, done)

    return await ctx.store.write(user_id, write)


async def _decide(
    ctx: Context,
    user_id: str,
    kind: ActKind,
    fact_id: str,
    known: Row,
    words: wording.Words,
    claim: Claim,
    request: DecideRequest,
    asked: Sent | None,
) -> Decided:
    retracts = kind is ActKind.RETRACT
    renewed = _renewed(ctx, known, claim) if kind is ActKind.CORRECT else []
    texts = [] if retracts else [claim.text, *(topic_text(row["summary"], row["keywords"]) for row in renewed)]
    vectors = await ctx.embedder.embed(texts, "document")
    told = known["told"] or {"conversation_id": "assistant", "assistant_id": "assistant"}
    decision = Decision(
        kind=_EVENTS[kind],
        page_id=words.page_id,
        text=words.text,
        origin="correction",
        conversation_id=told["conversation_id"],
        assistant_id=told["assistant_id"],
        session_id=ctx.clock.new_id(),
        fact_id=ctx.clock.new_id(),
        claim=claim,
        vector=[] if retracts else vectors[0],
        segments=[row | {"vector": vector} for row, vector in zip(renewed, vectors[1:], strict=True)],
        about=fact_id,
        reason=request.reason,
        archived=retracts,
        pinned=known["fact"]["pinned"],
    )
    lock, stem, now = ctx.clock.new_id(), ctx.clock.new_id(), ctx.clock.now()

    said = [] if retracts else [words.text, claim.object]  # what is taken back is not told anew
    found = findings_in([*said, request.reason or ""], find)

    async def write(tx: Tx) -> Decided:
        user, at = await locked(ctx, tx, user_id, lock, now)
        if done := await repeated(ctx, tx, user_id, asked):
            return done
        _allowed(user, found)
        if user["forget_epoch"] != known["forget_epoch"]:
            raise TryAgain("something was forgotten meanwhile; nothing was written")
        ledger = await _ledger(tx, user_id, claim.predicate, at, stem)
        fact = _checked(ledger, kind, fact_id, request, claim.valid_from)
        said_at = max([at, *(one.said_at for one in fact.statements)])
        fact = decide(ledger, kind, fact, claim, decision.fact_id, said_at)
        done = await write_decision(ctx, tx, user_id, user, decision, ledger, fact, at, said_at)
        return await noted(tx, user_id, asked, done)

    return await ctx.store.write(user_id, write)


def _renewed(ctx: Context, known: Row, claim: Claim) -> list[Row]:
    """The topics whose summary told what is corrected, as they are to be told from now on."""
    found = [wording.retold(row, known["fact"]["object"], claim.object) for row in known["segments"]]
    return [row | {"version_id": ctx.clock.new_id()} for row in found if row is not None]


async def _answered(ctx: Context, user_id: str, request: Sent | None) -> Decided | None:
    """The answer to a repeat, before anything is looked for or embedded."""

    async def read(tx: Tx) -> Decided | None:
        return await repeated(ctx, tx, user_id, request)

    return await ctx.store.read(user_id, read) if request else None


async def _known(ctx: Context, user_id: str, fact_id: str) -> Row:
    async def read(tx: Tx) -> Row | None:
        return await tx.one("fact_to_decide", user_id=user_id, fact_id=fact_id)

    row = await ctx.store.read(user_id, read)
    if row is None:
        raise NotFound("there is no such fact for this user")
    return row


async def _ledger(tx: Tx, user_id: str, predicate: str, at: datetime, stem: str) -> Ledger:
    facts, waiting = await read_known(tx, user_id, touched_predicates([predicate]))
    return Ledger.of(facts, at, waiting=waiting, stem=stem)


def _checked(ledger: Ledger, kind: ActKind, fact_id: str, request: DecideRequest, valid_from: datetime | None) -> Fact:
    fact = ledger.facts.get(fact_id)
    if fact is None:
        raise NotFound("there is no such fact for this user")
    if request.version not in (None, fact.version):
        raise Conflict(f"the fact has changed since: it is version {fact.version} now")
    if fault := objection(kind, fact, valid_from):
        raise Conflict(fault)
    return fact


def _classified(claim: Claim) -> Claim:
    return classified(claim, classes_of(claim))


def _allowed(user: Row, found: Found) -> None:
    """Refuse words that the policy keeps out of facts; what it asks about, the caller decides here and now."""
    if kept_out := found_with(found, Policy.of(user["policy"]), (Action.SESSION_ONLY, *BLACKED)):
        classes = ", ".join(kept_out)
        raise InvalidInput("text", f"text: the policy of this user keeps such words out of facts: {classes}")


def _words(ctx: Context, text: str) -> wording.Words:
    if reads_like_orders(text):
        raise InvalidInput("text", "text: reads like orders to a language model: no fact is made of such words")
    return wording.Words(ctx.clock.new_id(), ctx.clock.now(), text)


def _past(ctx: Context, valid_from: datetime | None) -> None:
    if valid_from is not None and valid_from > ctx.clock.now():
        raise InvalidInput("valid_from", "valid_from: must not lie in the future")
