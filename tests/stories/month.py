"""A month of one user as a script: what is said, what is asked, and what a good model reads in it.

Topics interleave; there is a move, a changed taste, a plan that is given up, a contradiction, tool calls, Chinese and
English. `claims` of a line are what the scripted model proposes, good ones and bad ones.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memoryos_graph import TurnIn
from memoryos_graph.demo.scenario import Request, Scenario, says

# A year that no other test lives in: the worker looks at all users that are due by the clock.
YEAR = 2019
TOPICS: Mapping[str, tuple[str, list[str]]] = {
    "cello": ("Cello lessons and the Bach suites", ["cello", "bach", "lesson"]),
    "move": ("Moving from Oslo to Bergen", ["bergen", "flat", "moving"]),
    "drinks": ("Coffee, tea and sleep", ["coffee", "tea", "sleep"]),
    "rome": ("A trip to Rome in May", ["rome", "trip", "may"]),
    "database": ("公司的数据库从 Postgres 换到 MySQL", ["数据库", "postgres", "mysql"]),
    "cat": ("猫咪咪的饮食和健康", ["猫", "咪咪", "猫粮"]),
    "weather": ("Weather for the weekend hikes", ["weather", "hike", "rain"]),
}
ASKED = {
    "08 22:00": "How does coffee change my sleep?",
    "17 12:00": "What became of the trip to Rome?",
    "18 09:00": "How many cups of coffee do I drink?",
    "27 09:00": "Will it rain on the hike?",
}


@dataclass(frozen=True)
class Line:
    """One turn of the script; `number` counts from 1."""

    number: int
    said: Mapping[str, Any]

    @property
    def at(self) -> datetime:
        """When it is said."""
        return moment(self.said["at"])

    @property
    def user(self) -> str:
        """The user's words, by which the scripted model knows the line."""
        return str(self.said["user"])

    def turn(self) -> TurnIn:
        """As a caller sends it."""
        messages: list[dict[str, Any]] = [{"role": "user", "content": self.user}]
        for tool in self.said.get("tools", ()):
            call = {"name": tool["name"], "arguments": tool["arguments"]}
            messages.append({"role": "assistant", "tool_calls": [call]})
            messages.append({"role": "tool", "content": tool["result"]})
        messages.append({"role": "assistant", "content": self.said.get("assistant", "")})
        return TurnIn.model_validate(
            {"messages": messages, "id": f"t{self.number}", "conversation_id": self.said["conversation"]}
        )


def moment(text: str) -> datetime:
    """A day of the month and a time, such as "02 09:00"."""
    return datetime.strptime(f"{YEAR}-03-{text}", "%Y-%m-%d %H:%M").replace(tzinfo=UTC)


def lines() -> list[Line]:
    """The script in order."""
    rows = (Path(__file__).parent / "month.jsonl").read_text().splitlines()
    return [Line(n, json.loads(row)) for n, row in enumerate(rows, 1)]


def teach(scenario: Scenario) -> None:
    """Let the scripted model answer as this script says."""
    scenario.when(says(_answer(_reading)), kind="read_batch")
    scenario.when(says(_answer(_claims)), kind="propose_claims")


def _answer(read: Callable[[Request, Mapping[str, Line]], dict[str, Any]]) -> Callable[[Request], str]:
    known = {line.user: line for line in lines()}
    return lambda request: json.dumps(read(request, known), ensure_ascii=False)


def _reading(request: Request, known: Mapping[str, Line]) -> dict[str, Any]:
    notes, about = [], {}
    for page in request.pages:
        line = known[page.user_input]
        number = int(page.page_id)
        notes.append({"page": number, "continues": line.said.get("continues", False), "summary": line.user[:60]})
        for name in line.said.get("topics", ["small talk"]):
            about.setdefault(name, []).append(number)
    found = []
    for name, pages in about.items():
        summary, keywords = TOPICS.get(name, ("Small talk", ["small", "talk"]))
        found.append({"summary": summary, "keywords": keywords, "pages": pages})
    return {"pages": notes, "topics": found}


def _claims(request: Request, known: Mapping[str, Line]) -> dict[str, Any]:
    proposed = []
    for page in request.pages:
        for claim in known[page.user_input].said.get("claims", ()):
            defaults = {"page": int(page.page_id), "speaker": "user", "subject": "user", "stance": "states"}
            proposed.append(defaults | claim)
    return {"claims": proposed}
