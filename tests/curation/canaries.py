"""Words that occur nowhere else, told in every place where text can enter a memory."""

from __future__ import annotations

from memoryos_graph import TurnIn

from ..pipeline.said import Said

PLACES = 21


def canaries(first: int = 0) -> list[str]:
    """As many words as there are places, that nobody says."""
    return [f"canary{n:03}zx" for n in range(first, first + PLACES)]


async def tell(said: Said, words: list[str]) -> list[str]:
    """Tell them: sides, tool calls, system text, ids, metadata, tags, a question and its answer, a correction with its
    reason, a search. Gives the pages that hold them."""
    memory = said.memory
    city, why, system, tool, name, value, result, reply, page_id, conversation, assistant = words[:11]
    key, note, tag, asked, style, wrong, reason, sought, about, relation = words[11:]
    claim = {"predicate": "lives_in", "object": city, "text": f"The user lives in {city}.", "reason": why}
    said.provider.claims[f"I live in {city}"] = [claim]
    (stored,) = await memory.remember(
        TurnIn(
            messages=[
                {"role": "system", "content": f"Speak of {system}."},
                {"role": "user", "content": f"I live in {city}"},
                {"role": "assistant", "tool_calls": [{"name": tool, "arguments": {name: value}}]},
                {"role": "tool", "content": f"found {result}"},
                {"role": "assistant", "content": f"So {reply} it is."},
            ],
            id=page_id,
            conversation_id=conversation,
            assistant_id=assistant,
            metadata={key: note},
            tags=[tag],
        )
    )
    await memory.maintain()
    answer = await memory.answer(
        f"The user lives in {city}, {asked}?", style_hint=style, relationship=relation, metadata={"about": about}
    )
    assert city in answer.text
    (fact,) = [fact for fact in (await memory.facts()).items if fact.object == city]
    decided = await memory.correct(fact.fact_id, object=wrong, reason=reason)
    await memory.search(sought)
    await memory.maintain()
    return [stored.page_id, str(answer.page_id), decided.event.ids[-1]]
