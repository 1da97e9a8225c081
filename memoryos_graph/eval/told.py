"""A user's memory told with names instead of ids: pages by the caller's ids, segments by summary, facts by words."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from ..service import MemoryService
from .statements import send


async def told(service: MemoryService, user_id: str) -> dict[str, Any]:
    """Everything of a user that does not depend on ids or the moment of the run. Six statements."""
    runs = await send(service, "told_runs", user_id=user_id)
    ended = Counter(f"{run['kind']} {run['state']}" for run in runs)
    rejected: Counter[str] = Counter()
    for run in runs:
        rejected.update(json.loads(run["rejected"]))
    return {
        "pages": {row.pop("id"): row for row in await send(service, "told_pages", user_id=user_id)},
        "segments": {row.pop("summary"): row for row in await send(service, "told_segments", user_id=user_id)},
        "facts": await send(service, "told_facts", user_id=user_id),
        "profile": await send(service, "told_profile", user_id=user_id),
        "events": {row["kind"]: row["count"] for row in await send(service, "told_events", user_id=user_id)},
        "rejected": dict(sorted(rejected.items())),
        "runs": dict(sorted(ended.items())),
    }
