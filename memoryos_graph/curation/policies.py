"""The policy of a user: read, and put in the place of the one before."""

from __future__ import annotations

from dataclasses import asdict

from ..context import Context
from ..contract import PolicyOut, PolicyRequest
from ..contract.policy import RetentionOut
from ..domain.claim import Sensitivity
from ..domain.policy import DEFAULT_ACTIONS, Policy, Retention
from ..store.connection import Tx
from ..store.records import event_row
from ..store.users import lock_for_turns, read_policy


async def get_policy(ctx: Context, user_id: str) -> PolicyOut:
    """The policy of a user; the default one of a user who never set any. One statement."""
    return _shown(await read_policy(ctx.store, user_id))


async def put_policy(ctx: Context, user_id: str, request: PolicyRequest) -> PolicyOut:
    """Set the policy of a user, who need not exist yet. Four statements. Writes Event."""
    actions = {Sensitivity(name): action for name, action in request.classes.items()}
    policy = Policy(
        remember=request.remember,
        classes={**DEFAULT_ACTIONS, **actions},
        retention=Retention(**request.retention.model_dump()),
        stale_after_days=request.stale_after_days,
    )
    now, lock = ctx.clock.now(), ctx.clock.new_id()

    async def write(tx: Tx) -> None:
        head = await lock_for_turns(tx, user_id, ctx.secret.user_key(user_id), lock, now)
        await tx.run("write_policy", user_id=user_id, policy=policy.stored(), now=now)
        changed = sum(action is not DEFAULT_ACTIONS[kind] for kind, action in policy.classes.items())
        numbers = {"classes_changed": changed, "stale_after_days": policy.stale_after_days}
        at = max(now, head["last_recorded_at"])
        event = event_row(ctx.secret, user_id, head, "policy", at, [], numbers | asdict(policy.retention))
        await tx.run("append_event", user_id=user_id, event=event)

    await ctx.store.write(user_id, write)
    return _shown(policy)


def _shown(policy: Policy) -> PolicyOut:
    return PolicyOut(
        remember=policy.remember,
        classes={kind.value: action for kind, action in policy.classes.items()},  # type: ignore[misc]
        retention=RetentionOut(**asdict(policy.retention)),
        stale_after_days=policy.stale_after_days,
    )
