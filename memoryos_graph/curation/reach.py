"""How far a forget reaches: what goes with what is chosen, what is made anew, what stays, what else says the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from ..contract import ForgetItem
from ..domain.fact import Fact, FactStatus
from ..domain.forgetting import Gone, place, same_claims
from ..domain.ledger import Ledger
from ..domain.quotes import normalised
from ..domain.text import sentences
from ..domain.unsaid import Unsaid, unsay
from ..store.connection import Row, Tx
from ..store.ledger import read_known
from .selecting import Chosen

MAX_PHRASES = 100
ALIKE_PER_PHRASE = 100
LEAST_PHRASE = 4
SMALL = 20  # pages whose every sentence is looked for elsewhere; of more, only what facts quote
TEXT_SHOWN = 200
_CODE = re.compile(r"(?=\S*\d)[^\W_][\w.:/-]{3,}")


@dataclass
class Reach:
    """All that a forget touches. `ledger` holds the facts as they will be."""

    gone: Gone
    ledger: Ledger
    unsaid: Unsaid
    segments: list[Row] = field(default_factory=list)
    chains: list[str] = field(default_factory=list)
    sessions: list[str] = field(default_factory=list)
    followers: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)

    @cached_property
    def items(self) -> list[str]:
        """Everything, each as "what:kind:id", sorted."""
        facts = self.ledger.facts
        before = self.ledger.before
        held = {i for i, fact in before.items() if fact.status is FactStatus.CURRENT}
        again = [i for i, fact in facts.items() if fact.status is FactStatus.CURRENT and i not in held]
        stays = [i for i in self.unsaid.lost if i in facts and facts[i].counts]
        told = [
            ("goes", "page", self.gone.pages),
            ("goes", "fact", [i for i in self.unsaid.forgotten if before[i].counts]),
            ("goes", "answer", self.answers),
            ("loses_words", "page", self.gone.changed_pages),
            ("made_anew", "segment", [row["id"] for row in self.segments if row["left"]]),
            ("made_anew", "chain", self.chains),
            ("made_anew", "session", self.sessions),
            ("made_anew", "page", self.followers),
            ("stays", "fact", stays),
            ("holds_again", "fact", again),
        ]
        return sorted(f"{what}:{kind}:{i}" for what, kind, ids in told for i in ids)

    @property
    def core(self) -> set[str]:
        """What must be as it was planned when a forget is confirmed."""
        return core_of(self.items)

    def through(self, fact_id: str) -> list[str]:
        """The pages that still say a fact."""
        fact = self.ledger.facts.get(fact_id)
        return sorted({span.page_id for span in fact.sources}) if fact else []


def core_of(items: Iterable[str]) -> set[str]:
    """The items that go or lose words."""
    return {item for item in items if item.startswith(("goes:", "loses_words:"))}


async def reach_of(tx: Tx, user_id: str, chosen: Chosen, *, now: datetime, stem: str) -> Reach:
    """Follow what is chosen to all that was made from it. Four statements, and one for each answer upon an answer."""
    facts, waiting = await read_known(tx, user_id, None)
    gone = _chosen(chosen, {fact.fact_id: fact for fact in facts})
    while True:
        ledger = Ledger.of(facts, now, waiting=waiting, stem=stem)
        unsaid = unsay(ledger, gone.holds)
        if not await _follow(tx, user_id, gone, unsaid):
            break
    row = await tx.one(
        "forget_reach",
        user_id=user_id,
        page_ids=sorted(gone.pages | gone.changed_pages),
        gone=sorted(gone.pages),
        fact_ids=sorted(unsaid.forgotten),
    )
    assert row is not None, "it gives one row"
    return Reach(gone, ledger, unsaid, **row)


def _chosen(chosen: Chosen, facts: dict[str, Fact]) -> Gone:
    gone = Gone(pages=set(chosen.pages))
    for fact_id in same_claims(facts, chosen.facts & facts.keys()):
        for one in facts[fact_id].statements:
            if chosen.redact:
                gone.spans.add(one.span)
            else:
                gone.places.add(place(one))
    return gone


async def _follow(tx: Tx, user_id: str, gone: Gone, unsaid: Unsaid) -> bool:
    """Add the answering sides that were made from what goes, with what tools told for them; whether any were new."""
    pages = sorted(gone.pages | gone.changed_pages)
    found = await tx.run("sides_from", user_id=user_id, page_ids=pages, fact_ids=sorted(unsaid.forgotten))
    new = False
    for row in found:
        page_id = row["page_id"]
        if page_id in gone.pages or (page_id, "assistant") in gone.sides or not row["length"]:
            continue
        new = True
        if row["user"].strip():
            gone.sides |= {(page_id, "assistant"), (page_id, "tool")}
        else:
            gone.pages.add(page_id)
    return new


async def said_alike(tx: Tx, user_id: str, user_key: str, reach: Reach) -> list[str]:
    """Other pages that hold words of what goes, letter by letter but for case and forms. Two statements."""
    besides = sorted(reach.gone.pages | reach.gone.changed_pages | {place[1] for place in reach.gone.places})
    phrases = [normalised(phrase).strip() for phrase in await _phrases(tx, user_id, reach)]
    wanted = [phrase for phrase in dict.fromkeys(phrases) if len(phrase) >= LEAST_PHRASE][:MAX_PHRASES]
    asked = [
        {"n": n, "lucene": f'+user_key:{user_key}^0 +text:"{words}"'}
        for n, phrase in enumerate(wanted)
        if (words := " ".join(re.findall(r"\w+", phrase)))
    ]
    rows = await tx.run("said_alike", user_id=user_id, phrases=asked, besides=besides, limit=ALIKE_PER_PHRASE)
    return sorted({row["page_id"] for row in rows if _holds(row, wanted[row["n"]])})


async def _phrases(tx: Tx, user_id: str, reach: Reach) -> list[str]:
    """What facts quote of what goes; of a few pages also every sentence, and everything that looks like a code."""
    facts = [reach.ledger.before[i] for i in reach.unsaid.forgotten]
    quotes = [source.span.quote for fact in facts for source in fact.said]
    if len(reach.gone.pages) > SMALL:
        return quotes
    for row in await tx.run("texts_of_pages", user_id=user_id, page_ids=sorted(reach.gone.pages)):
        for side in ("user_input", "assistant_response", "tool_text"):
            text = row["page"][side]
            quotes += [text[start:end].rstrip(".!?。！？ ") for start, end in sentences(text)]
            quotes += _CODE.findall(text)
    return quotes


def _holds(row: Row, phrase: str) -> bool:
    return any(phrase in normalised(row[side]) for side in ("user", "assistant", "tool"))


async def shown(tx: Tx, user_id: str, items: Sequence[str], reach: Reach | None) -> list[ForgetItem]:
    """Items with the beginnings of their texts. Two statements."""
    split = [item.split(":", 2) for item in items]
    pages = [i for _, kind, i in split if kind == "page"]
    facts = [i for _, kind, i in split if kind == "fact"]
    texts = {}
    for row in await tx.run("texts_of_pages", user_id=user_id, page_ids=pages):
        page = row["page"]
        texts[page["page_id"]] = page["user_input"] or page["assistant_response"] or page["tool_text"]
    for row in await tx.run("texts_of_facts", user_id=user_id, fact_ids=facts):
        texts[row["fact_id"]] = row["text"] or ""
    return [
        ForgetItem(
            what=what,  # type: ignore[arg-type]
            kind=kind,  # type: ignore[arg-type]
            id=i,
            text=texts.get(i, "")[:TEXT_SHOWN],
            through=reach.through(i) if reach and what == "stays" else [],
        )
        for what, kind, i in split
    ]
