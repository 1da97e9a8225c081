"""What a search did, in numbers: what it asked, what each arm gave, and where each hit stood in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..domain.query import Term
from . import arms
from .showing import Shown

ARMS = ("vector", "passage", "text", "fact_vector", "fact_text", "segment_vector", "segment_words")


def explain(ask: arms.Ask, gathered: arms.Gathered, terms: Sequence[Term], shown: Shown) -> dict[str, Any]:
    """The numbers behind a result. `hits` has, for each, its parts and its rank and raw score in every arm."""
    found, request = gathered.found, ask.request
    left = gathered.names & {term.word for term in ask.query.terms} - {term.word for term in terms}
    ranks = {name: _ranks(getattr(found, name)) for name in ARMS}
    return {
        "mode": request.mode,
        "scope": dict(ask.echo),
        "suppressed": shown.suppressed,
        "terms": [term.word for term in terms],
        "names_left_out": sorted(left),
        "asks_when": ask.query.asks_when,
        "windows": [[w.start.isoformat(), w.end.isoformat(), w.weight] for w in ask.named],
        "weights": vars(ask.weights),
        "candidates": {
            "vector": len(found.vector),
            "text": len(found.text),
            "sessions": len(found.sessions),
            "facts": len(found.fact_pages),
            "segments": len(found.segment_vector),
            "pages": len(found.notes),
        },
        "hits": [
            {
                "id": hit.id,
                "kind": hit.kind,
                "rank": n,
                "parts": hit.parts,
                "arms": {name: at[hit.id] for name, at in ranks.items() if hit.id in at},
            }
            for n, hit in enumerate(shown.hits, start=1)
        ],
    }


def _ranks(scores: Mapping[str, float]) -> dict[str, dict[str, float]]:
    order = sorted(scores, key=lambda key: (-scores[key], key))
    return {key: {"rank": n, "score": scores[key]} for n, key in enumerate(order, start=1)}
