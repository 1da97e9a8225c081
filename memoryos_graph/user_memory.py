"""UserMemory: what one can do with the memory of one user; each verb calls one room function."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

from pydantic import BaseModel

from .audit import chain
from .audit import timeline as recorded
from .audit.reads import note_read
from .context import Context
from .contract import (
    AnswerRequest,
    AnswerResult,
    AuditHead,
    AuditVerified,
    ConfirmRequest,
    ContextRequest,
    ContextResult,
    CorrectRequest,
    CypherRequest,
    CypherResult,
    Decided,
    DecideRequest,
    EventList,
    EvidenceRequest,
    FactHistory,
    FactList,
    FactOut,
    FactsRequest,
    ForgetPlan,
    ForgetRequest,
    Imported,
    Maintenance,
    MaintenanceRequest,
    MomentRequest,
    NamedCypherRequest,
    PackageImported,
    PinRequest,
    PlanRequest,
    PolicyOut,
    PolicyRequest,
    ProfileDiff,
    ProfileDiffRequest,
    ProfileOut,
    ProfileRequest,
    ProfileVersionList,
    ProfileVersionsRequest,
    Receipt,
    ReceiptCheck,
    ReceiptList,
    RollbackOut,
    RollbackRequest,
    RunList,
    RunOut,
    SearchRequest,
    SearchResult,
    SegmentDetail,
    SegmentList,
    StateRequest,
    Stats,
    TimelineRequest,
    TurnDetail,
    TurnIn,
    TurnList,
    TurnStored,
    VerifyAuditRequest,
    VerifyRequest,
    Why,
)
from .contract.checking import checked
from .curation import correcting, erasing, forgetting, pinning, policies
from .curation import profile as curating
from .curation import receipts as receipting
from .domain.act import ActKind
from .domain.page import PageState
from .explore import asking, named
from .pipeline import imported, intake
from .recall import answer as answering
from .recall import context as composing
from .recall import facts as knowing
from .recall import listing
from .recall import profile as profiles
from .recall import search as searching
from .recall import why as explaining
from .scheduler.work import STEPS, retry_run, work_through
from .scheduler.worker import Worker
from .store.connection import Row, Tx
from .transfer import evidence as proving
from .transfer import export as exporting
from .transfer import restore as restoring
from .transfer.importers import memoryos_package

V = TypeVar("V", bound=Callable[..., Coroutine[Any, Any, Any]])
Waited = Literal["indexed", "migrated", "promoted"]

WAIT_POLL_S = 0.05


class Answers:
    """Answers being written in this process, which go on when nobody listens any more."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[AnswerResult]] = set()

    def start(self, answering: Coroutine[Any, Any, AnswerResult]) -> asyncio.Task[AnswerResult]:
        """Write an answer in a task of its own. Its error is for who listens; nobody needs to."""
        task = asyncio.create_task(answering)
        self._running.add(task)
        task.add_done_callback(self._done)
        return task

    async def finish(self) -> None:
        """Let all of them come to their end."""
        await asyncio.gather(*self._running, return_exceptions=True)

    def _done(self, task: asyncio.Task[AnswerResult]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()


def _noted(verb: V) -> V:
    """A verb that gives out texts of the user: with the setting `audit_reads` each call is an event of kind `read`."""

    @wraps(verb)
    async def noted(self: UserMemory, *args: Any, **options: Any) -> Any:
        result = await verb(self, *args, **options)
        if self._ctx.settings.audit_reads:
            await note_read(self._ctx, self.user_id, verb.__name__, _found(result))
        return result

    return cast(V, noted)


def _found(result: BaseModel) -> int:
    """How many things a result shows."""
    names = ("items", "hits", "evidence", "facts", "pages", "citations", "rows", "nodes")
    many = [len(found) for name in names if isinstance(found := getattr(result, name, None), list)]
    return next((n for n in many if n), 0 if many else 1)


class UserMemory:
    """One user's memory: short verbs, each one room function."""

    def __init__(self, ctx: Context, user_id: str, worker: Worker, answers: Answers | None = None) -> None:
        self._ctx = ctx
        self.user_id = user_id
        self._worker = worker
        self._answers = answers or Answers()

    async def remember(
        self, turns: TurnIn | Sequence[TurnIn | dict[str, Any]] | dict[str, Any], *, idempotency_key: str | None = None
    ) -> list[TurnStored]:
        """Store turns in order; when this returns they survive any crash. See pipeline.intake.remember."""
        given = list(turns) if isinstance(turns, Sequence) else [turns]
        told = [turn if isinstance(turn, TurnIn) else checked(TurnIn, turn) for turn in given]
        stored = await intake.remember(self._ctx, self.user_id, told, idempotency_key=idempotency_key)
        self._ctx.metrics.turns.inc(sum(turn.created for turn in stored))
        self._worker.nudge()
        return stored

    async def wait_for(self, stored: Sequence[TurnStored], until: Waited, wait_s: float = 30) -> list[TurnStored]:
        """The same acknowledgements with the state reached when nothing more is due for them, or after `wait_s`.

        It never waits for capacity or heat: a page that stays in short-term memory has nothing due.
        """

        async def states(tx: Tx) -> list[Row]:
            now, page_ids = self._ctx.clock.now(), [turn.page_id for turn in stored]
            return await tx.run("page_states", user_id=self.user_id, page_ids=page_ids, now=now)

        rows: list[Row] = []
        try:
            async with asyncio.timeout(wait_s):
                while True:
                    rows = await self._ctx.store.read(self.user_id, states)
                    reached = all(row["state"] != "stored" for row in rows)
                    if reached and (until == "indexed" or not any(row["due"] for row in rows)):
                        break
                    await asyncio.sleep(WAIT_POLL_S)
        except TimeoutError:
            pass  # the caller asked for the state after this time, whatever it is
        found = {row["page_id"]: PageState(row["state"]) for row in rows}
        return [turn.model_copy(update={"state": found.get(turn.page_id, turn.state)}) for turn in stored]

    @_noted
    async def turns(self, *, limit: int = 50, cursor: str | None = None, id: str | None = None) -> TurnList:
        """Pages, newest first; with `id` the one that was stored under it."""
        return await listing.list_turns(self._ctx, self.user_id, limit=limit, cursor=cursor, external_id=id)

    @_noted
    async def turn(self, page_id: str) -> TurnDetail:
        """One page with everything derived from it. Raises NotFound."""
        return await listing.get_turn(self._ctx, self.user_id, page_id)

    @_noted
    async def search(self, query: str, **options: Any) -> SearchResult:
        """Find pages, facts and segments; options are the fields of SearchRequest. One embedding, three statements."""
        request = checked(SearchRequest, {"query": query, **options})
        result = await searching.search(self._ctx, self.user_id, request)
        self._ctx.metrics.searches.inc()
        return result

    @_noted
    async def context(self, query: str, **options: Any) -> ContextResult:
        """The parts of a prompt, without a model call: recent turns, evidence, persona, conflicts; options are the
        fields of ContextRequest. One embedding, seven statements. Raises InvalidInput, ModelUnavailable.
        """
        request = checked(ContextRequest, {"query": query, **options})
        result = await composing.context(self._ctx, self.user_id, request)
        self._ctx.metrics.searches.inc()
        return result

    async def answer(
        self,
        query: str,
        *,
        idempotency_key: str | None = None,
        on_text: Callable[[str], None] | None = None,
        **options: Any,
    ) -> AnswerResult:
        """Answer from memory, with citations; options are the fields of AnswerRequest. The question is stored first, so
        that it survives whatever happens to the answer. `on_text` is told of each piece as it is written.

        The same `id` or key with the same question gives the answer that is there. Raises InvalidInput, Conflict,
        ModelUnavailable, ModelReplyInvalid, ModelBudgetSpent, TryAgain.
        """
        request = checked(AnswerRequest, {"query": query, **options})
        page_id = None
        if request.store:
            asked = await intake.ask(self._ctx, self.user_id, request.turn(), idempotency_key=idempotency_key)
            self._ctx.metrics.turns.inc(asked.created)
            page_id = asked.page_id
        try:
            return await answering.answer(self._ctx, self.user_id, request, page_id, on_text)
        finally:
            self._worker.nudge()

    async def answer_stream(
        self, query: str, *, idempotency_key: str | None = None, **options: Any
    ) -> AsyncIterator[str | AnswerResult]:
        """The pieces of an answer as they are written, then the whole result; as `answer` in all else.

        Who stops listening changes nothing: the answer is finished and stored.
        """
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        asking = self.answer(query, idempotency_key=idempotency_key, on_text=pieces.put_nowait, **options)
        task = self._answers.start(asking)
        task.add_done_callback(lambda _: pieces.put_nowait(None))
        while (piece := await pieces.get()) is not None:
            yield piece
        yield await task

    @_noted
    async def get_answer(self, answer_id: str) -> AnswerResult:
        """A stored answer: what was asked, said and used. Raises NotFound."""
        return await answering.get_answer(self._ctx, self.user_id, answer_id)

    @_noted
    async def facts(
        self,
        *,
        kind: str | None = None,
        status: str | None = "current",
        as_of: datetime | str | None = None,
        known_at: datetime | str | None = None,
        origin: str | None = None,
        stale: bool | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> FactList:
        """Facts, newest first; see FactsRequest. `status` None gives all. Raises InvalidInput."""
        given = {"kind": kind, "status": status, "as_of": as_of, "known_at": known_at, "origin": origin, "stale": stale}
        request = checked(FactsRequest, given | {"limit": limit, "cursor": cursor})
        return await knowing.list_facts(self._ctx, self.user_id, request)

    @_noted
    async def fact(
        self, fact_id: str, *, as_of: datetime | str | None = None, known_at: datetime | str | None = None
    ) -> FactOut:
        """One fact, as it is or as it was known at a moment. Raises NotFound, InvalidInput."""
        request = checked(MomentRequest, {"as_of": as_of, "known_at": known_at})
        return await knowing.get_fact(self._ctx, self.user_id, fact_id, request)

    @_noted
    async def fact_history(self, fact_id: str) -> FactHistory:
        """What a fact replaced, what replaced it, what disagrees, with times and kinds. Raises NotFound."""
        return await knowing.fact_history(self._ctx, self.user_id, fact_id)

    @_noted
    async def why(self, fact_id: str) -> Why:
        """The tree fact → quote → page. Raises NotFound."""
        return await explaining.why(self._ctx, self.user_id, fact_id)

    @_noted
    async def profile(
        self,
        *,
        version: int | None = None,
        as_of: datetime | str | None = None,
        known_at: datetime | str | None = None,
    ) -> ProfileOut:
        """The profile of now, of a version, or of a moment, rendered from facts. Raises NotFound, InvalidInput."""
        request = checked(ProfileRequest, {"version": version, "as_of": as_of, "known_at": known_at})
        return await profiles.profile(self._ctx, self.user_id, request)

    @_noted
    async def profile_diff(self, start: int | datetime | str, end: int | datetime | str | None = None) -> ProfileDiff:
        """What differs between two versions, or times of belief; now without `end`. Raises NotFound, InvalidInput."""
        request = checked(ProfileDiffRequest, {"start": start, "end": end})
        return await profiles.profile_diff(self._ctx, self.user_id, request)

    @_noted
    async def profile_versions(self, *, limit: int = 50, cursor: str | None = None) -> ProfileVersionList:
        """Versions of the profile with the facts each added and removed, newest first."""
        request = checked(ProfileVersionsRequest, {"limit": limit, "cursor": cursor})
        return await profiles.profile_versions(self._ctx, self.user_id, request)

    async def profile_rollback(self, version: int) -> RollbackOut:
        """Make the facts of a version the current ones again, as a new version. Raises NotFound, InvalidInput."""
        request = checked(RollbackRequest, {"version": version})
        return await curating.rollback(self._ctx, self.user_id, request.version)

    async def timeline(self, *, kind: str | None = None, limit: int = 50, cursor: str | None = None) -> EventList:
        """What was done to this memory, newest first: ids and numbers, never text. Raises InvalidInput."""
        request = checked(TimelineRequest, {"kind": kind, "limit": limit, "cursor": cursor})
        return await recorded.timeline(self._ctx, self.user_id, request)

    async def audit_head(self) -> AuditHead:
        """The newest event's place and hash; a copy kept elsewhere proves all events until then."""
        return await recorded.audit_head(self._ctx, self.user_id)

    async def verify_audit(self, *, head: Any = None) -> AuditVerified:
        """Walk the chain of events; with `head`, as `audit_head` gave it once, also whether it is still part of it.

        Raises InvalidInput.
        """
        given = head.model_dump(include={"seq", "hash"}) if isinstance(head, BaseModel) else head
        request = checked(VerifyAuditRequest, {"head": given})
        return await chain.verify_audit(self._ctx, self.user_id, request.head)

    async def correct(
        self, fact_id: str, text: str | None = None, *, idempotency_key: str | None = None, **options: Any
    ) -> Decided:
        """Put right what was never so; options are the fields of CorrectRequest. See curation.correcting.correct."""
        return await self._correct(ActKind.CORRECT, fact_id, {"text": text, **options}, idempotency_key)

    async def change(
        self, fact_id: str, text: str | None = None, *, idempotency_key: str | None = None, **options: Any
    ) -> Decided:
        """Say what took the place of a fact in the world, from `valid_from` on (default now). As `correct` else."""
        return await self._correct(ActKind.CHANGE, fact_id, {"text": text, **options}, idempotency_key)

    async def retract(self, fact_id: str, *, idempotency_key: str | None = None, **options: Any) -> Decided:
        """Take a fact back: it was never so. Options are `reason` and `version`. Raises NotFound, Conflict."""
        return await self._uphold(ActKind.RETRACT, fact_id, options, idempotency_key)

    async def restore(self, fact_id: str, *, idempotency_key: str | None = None, **options: Any) -> Decided:
        """Let a retracted, corrected or changed fact hold again, in place of what took its place. As `retract` else."""
        return await self._uphold(ActKind.RESTORE, fact_id, options, idempotency_key)

    async def confirm(self, fact_id: str, *, idempotency_key: str | None = None, **options: Any) -> Decided:
        """Settle that a proposed fact holds, or one in conflict: then the others were never so. As `retract` else."""
        return await self._uphold(ActKind.CONFIRM, fact_id, options, idempotency_key)

    async def pin(
        self, fact_id: str, pinned: bool = True, *, idempotency_key: str | None = None, **options: Any
    ) -> Decided:
        """Keep a fact however little it is used, or no longer; the option is `version`. Raises NotFound, Conflict."""
        request = checked(PinRequest, {"pinned": pinned, **options})
        return await pinning.pin(self._ctx, self.user_id, fact_id, request, key=idempotency_key)

    async def state(self, text: str, *, idempotency_key: str | None = None, **options: Any) -> Decided:
        """State a fact by hand; options are the fields of StateRequest. See curation.correcting.state_fact."""
        request = checked(StateRequest, {"text": text, **options})
        return await self._decided(correcting.state_fact(self._ctx, self.user_id, request, key=idempotency_key))

    async def _correct(self, kind: ActKind, fact_id: str, options: dict[str, Any], key: str | None) -> Decided:
        request = checked(CorrectRequest, options)
        return await self._decided(correcting.correct(self._ctx, self.user_id, kind, fact_id, request, key=key))

    async def _uphold(self, kind: ActKind, fact_id: str, options: dict[str, Any], key: str | None) -> Decided:
        request = checked(DecideRequest, options)
        return await self._decided(correcting.uphold(self._ctx, self.user_id, kind, fact_id, request, key=key))

    async def _decided(self, deciding: Coroutine[Any, Any, Decided]) -> Decided:
        done = await deciding
        self._worker.nudge()
        return done

    async def forget(self, *, limit: int = 50, **selector: Any) -> ForgetPlan:
        """Plan to forget; selectors are the fields of ForgetRequest. Nothing changes until the plan is confirmed.

        Raises InvalidInput, NotFound, and Conflict (`already_forgotten`).
        """
        return await forgetting.plan(self._ctx, self.user_id, checked(ForgetRequest, selector), limit=limit)

    async def forget_plan(self, plan_id: str, *, limit: int = 50, cursor: str | None = None) -> ForgetPlan:
        """More items of a plan. Raises NotFound once it is confirmed or an hour old."""
        request = checked(PlanRequest, {"limit": limit, "cursor": cursor})
        return await forgetting.get_plan(self._ctx, self.user_id, plan_id, limit=request.limit, cursor=request.cursor)

    async def confirm_forget(self, plan_id: str, *, also: Sequence[str] = ()) -> Receipt:
        """Forget what a plan lists, and the pages of its `also_said_in` that are named. When this returns it is gone
        from every read and from the graph; a repeat gives the same receipt. Raises NotFound, Conflict, InvalidInput.
        """
        request = checked(ConfirmRequest, {"also": list(also)})
        await forgetting.begin(self._ctx, self.user_id, plan_id, request.also)
        await erasing.finish_forgets(self._ctx, self.user_id)
        self._worker.nudge()
        return await receipting.receipt(self._ctx, self.user_id, plan_id)

    async def receipts(self) -> ReceiptList:
        """Receipts of what was forgotten, newest first."""
        return await receipting.receipts(self._ctx, self.user_id)

    async def receipt(self, receipt_id: str) -> Receipt:
        """One receipt. Raises NotFound."""
        return await receipting.receipt(self._ctx, self.user_id, receipt_id)

    async def verify_receipt(self, receipt_id: str, *, text: str | None = None) -> ReceiptCheck:
        """Check a receipt again, and whether `text` is anywhere. Raises NotFound, InvalidInput."""
        request = checked(VerifyRequest, {"text": text})
        return await receipting.verify(self._ctx, self.user_id, receipt_id, request.text)

    async def policy(self) -> PolicyOut:
        """What this user lets the memory keep; the default policy where none was set."""
        return await policies.get_policy(self._ctx, self.user_id)

    async def set_policy(self, **policy: Any) -> PolicyOut:
        """Set the whole policy, the fields of PolicyRequest; others are as by default. Raises InvalidInput."""
        done = await policies.put_policy(self._ctx, self.user_id, checked(PolicyRequest, policy))
        self._worker.nudge()
        return done

    async def import_package(self, folder: Path, *, tz: str | None = None) -> PackageImported:
        """Take over a data folder of the published MemoryOS package; a repeat changes nothing. `tz` is the zone of its
        times. See transfer.importers.memoryos_package and pipeline.imported. Raises InvalidInput, Conflict, ModelError.
        """
        package = memoryos_package.read(folder, self.user_id, tz)
        stored = await imported.keep_turns(self._ctx, self.user_id, package.turns)
        known, facts = await imported.keep_known(self._ctx, self.user_id, package.known)
        self._worker.nudge()
        return imported.told([*stored, *known], facts, package.left_out)

    async def export(
        self, *, as_of: datetime | str | None = None, known_at: datetime | str | None = None
    ) -> AsyncIterator[bytes]:
        """This memory as JSON Lines, in pieces. See transfer.export.export. Raises NotFound, InvalidInput, TryAgain."""
        request = checked(MomentRequest, {"as_of": as_of, "known_at": known_at})
        await erasing.finish_forgets(self._ctx, self.user_id)
        async for piece in exporting.export(self._ctx, self.user_id, request):
            yield piece

    async def evidence(self, *, known_at: datetime | str | None = None) -> AsyncIterator[bytes]:
        """What was believed at a time, with all that proves it, as JSON Lines. See transfer.evidence.evidence."""
        request = checked(EvidenceRequest, {"known_at": known_at})
        await erasing.finish_forgets(self._ctx, self.user_id)
        async for piece in proving.evidence(self._ctx, self.user_id, request):
            yield piece

    async def import_(self, source: Path | bytes) -> Imported:
        """Write an export back into an empty memory: a file, or its bytes. See transfer.restore.import_."""
        done = await restoring.import_(self._ctx, self.user_id, source)
        self._worker.nudge()
        return done

    @_noted
    async def segments(self, *, limit: int = 50, cursor: str | None = None) -> SegmentList:
        """Segments with their heat and its parts."""
        return await listing.list_segments(self._ctx, self.user_id, limit=limit, cursor=cursor)

    @_noted
    async def segment(self, segment_id: str) -> SegmentDetail:
        """One segment with its pages and their join scores. Raises NotFound."""
        return await listing.get_segment(self._ctx, self.user_id, segment_id)

    async def stats(self, *, as_of: datetime | str | None = None, known_at: datetime | str | None = None) -> Stats:
        """Counts of everything this user has; of facts those of a moment, when one is given. Raises InvalidInput."""
        request = checked(MomentRequest, {"as_of": as_of, "known_at": known_at})
        return await listing.count(self._ctx, self.user_id, request)

    async def runs(self, *, state: str | None = None, limit: int = 50, cursor: str | None = None) -> RunList:
        """Background work, newest first; `state` such as "failed" or "parked"."""
        return await listing.list_runs(self._ctx, self.user_id, state=state, limit=limit, cursor=cursor)

    async def run(self, run_id: str) -> RunOut:
        """One unit of background work, with its attempts and model calls. Raises NotFound."""
        return await listing.get_run(self._ctx, self.user_id, run_id)

    async def work(self, wait_s: float = 60) -> None:
        """Do what is due now, as the worker would: a failure is recorded on its run, and waits its time.

        Waits so long while another process works for this user. Raises ModelChanged, DatabaseUnavailable.
        """

        async def due(tx: Tx) -> Row | None:
            return await tx.one("user_due", user_id=self.user_id, now=self._ctx.clock.now())

        with suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                while (row := await self._ctx.store.read(self.user_id, due)) and row["due"]:
                    if not await self._worker.work_for(self.user_id):
                        await asyncio.sleep(WAIT_POLL_S)

    async def retry(self, run_id: str) -> RunOut:
        """Make what a failed or parked run worked for due now, with all its attempts. Raises NotFound, Conflict."""
        run = await retry_run(self._ctx, self.user_id, run_id)
        self._worker.nudge()
        return run

    @_noted
    async def cypher(self, query: str, params: Mapping[str, Any] | None = None, **options: Any) -> CypherResult:
        """Read with Cypher of one's own; options are `limit` and `form` of CypherRequest. See explore.asking.ask."""
        request = checked(CypherRequest, {"query": query, "params": dict(params or {}), **options})
        return await asking.ask(self._ctx, self.user_id, request)

    @_noted
    async def named_cypher(self, name: str, params: Mapping[str, Any] | None = None, **options: Any) -> CypherResult:
        """Run a query of `MemoryService.cypher_queries`; as `cypher` in all else. Raises NotFound."""
        request = checked(NamedCypherRequest, {"params": dict(params or {}), **options})
        return await named.ask_named(self._ctx, self.user_id, name, request)

    async def maintain(
        self,
        run: str = "all",
        *,
        force: bool | None = None,
        on_run: Callable[[RunOut], None] | None = None,
    ) -> Maintenance:
        """Do the due work now and give the runs made. `force` (default for `all`) empties STM and promotes
        whatever the heat; what is over capacity is archived at the end.

        Raises UserBusy when another process has been working for this user for a minute; errors of models as they come.
        """
        request = checked(MaintenanceRequest, {"run": run, "force": force})
        everything = request.run == "all"
        forced = everything if request.force is None else request.force
        steps: list[str] = list(STEPS) if everything else [request.run]
        runs = await work_through(self._ctx, self.user_id, steps, force=forced, on_run=on_run)
        return Maintenance(runs=runs)
