"""What fails is tried again, counted, parked after a limit, and never blocks or spoils anything else."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator

import pytest

from memoryos_graph import MemoryService, TurnIn, UserMemory
from memoryos_graph.errors import Conflict, InvalidInput, ModelBudgetSpent, ModelReplyInvalid, NotFound

from ..conftest import FakeClock, FakeEmbedder
from ..graph import ask, assert_invariants
from .parts import BAD, GOOD, ScriptedProvider, serving, tick

DURING_ATTEMPTS = (2, 4, 8, 16)


@pytest.fixture
def provider() -> ScriptedProvider:
    return ScriptedProvider()


@pytest.fixture
async def scripted(service: MemoryService, provider: ScriptedProvider, user_id: str) -> AsyncIterator[MemoryService]:
    """A small short-term memory, every segment hot; what the test parks is parked for nobody else."""
    yield serving(
        service, provider=provider, short_term_capacity=2, migration_batch=1, heat_threshold=0.5,
        promotion_min_pages=1,
    )  # fmt: skip
    await ask(service, "MATCH (u:User {user_id: $user_id}) SET u.parked = null", user_id=user_id)


@pytest.fixture
def ana(scripted: MemoryService, user_id: str) -> UserMemory:
    return scripted.user(user_id)


async def _pass_attempts(ana: UserMemory, clock: FakeClock) -> None:
    """Let the worker try until the attempts are used up, waiting as long as it says."""
    await tick(ana)
    for wait_s in DURING_ATTEMPTS:
        clock.move(seconds=wait_s)
        await tick(ana)


async def _facts(ana: UserMemory) -> list[str]:
    return sorted(fact.object for fact in (await ana.facts()).items)


async def test_a_run_keeps_its_attempts_and_what_its_calls_cost(ana: UserMemory, provider: ScriptedProvider) -> None:
    await ana.remember([TurnIn(user_input=text) for text in ("I live in Oslo.", "one", "two")])
    provider.fail_batch_on = ("Oslo",)
    assert await tick(ana) == "model_reply_invalid"
    (failed,) = (await ana.runs(state="failed")).items
    assert (failed.kind, failed.attempts, failed.error_code) == ("migrate", 1, "model_reply_invalid")
    assert (failed.model_calls, failed.tokens_in, failed.tokens_out) == (1, BAD.tokens_in, BAD.tokens_out)
    assert [call.model_dump() for call in failed.calls] == [vars(BAD)]
    provider.fail_batch_on = ()
    await ana.maintain(force=False)
    done = next(run for run in (await ana.runs(state="done")).items if run.kind == "migrate")
    assert (done.attempts, done.model_calls, done.tokens_in) == (2, 1, GOOD.tokens_in)
    assert {turn.attempts for turn in (await ana.turns()).items} == {0}
    assert (await ana.run(done.run_id)) == done


async def test_cases_l3_l13_u02_a_failed_reading_is_repeated_and_marks_nothing(
    ana: UserMemory, provider: ScriptedProvider, clock: FakeClock
) -> None:
    stored = await ana.remember([TurnIn(user_input=text) for text in ("I moved to Oslo.", "one", "two")])
    provider.fail_claims_on = ("Oslo",)
    for attempts, wait_s in enumerate((0, 2, 4), 1):
        clock.move(seconds=wait_s)
        assert await tick(ana) == "model_reply_invalid"
        turn = await ana.turn(stored[0].page_id)
        assert (turn.attempts, turn.state.value, turn.facts) == (attempts, "indexed", [])
        (segment,) = (await ana.segments()).items
        assert segment.n_unread == 1
    provider.fail_claims_on = ()
    clock.move(seconds=8)
    assert await tick(ana) is None
    assert await _facts(ana) == ["Oslo"]
    assert (await ana.turn(stored[0].page_id)).attempts == 0


async def test_waiting_is_by_the_clock(ana: UserMemory, provider: ScriptedProvider, clock: FakeClock) -> None:
    await ana.remember([TurnIn(user_input=text) for text in ("I live in Oslo.", "one", "two")])
    provider.fail_batch_on = ("Oslo",)
    await tick(ana)
    await tick(ana)
    clock.move(seconds=1.9)
    await tick(ana)
    assert provider.asked == 1
    clock.move(seconds=0.2)
    await tick(ana)
    assert provider.asked == 2


async def test_cases_l20_u19_a_failing_segment_keeps_no_other_waiting_and_is_parked(
    ana: UserMemory, scripted: MemoryService, provider: ScriptedProvider, clock: FakeClock
) -> None:
    texts = ["I am allergic to poison ivy.", "I live in Oslo with a harbour.", "one", "two"]
    stored = await ana.remember([TurnIn(user_input=text) for text in texts])
    provider.fail_claims_on = ("poison",)
    assert await tick(ana) == "model_reply_invalid"
    assert len(await _facts(ana)) == 1
    for wait_s in DURING_ATTEMPTS:
        clock.move(seconds=wait_s)
        await tick(ana)
    (parked,) = (await ana.runs(state="parked")).items
    assert (parked.kind, parked.attempts, parked.error_code) == ("promote", 5, "model_reply_invalid")
    turn = await ana.turn(stored[0].page_id)
    assert (turn.state.value, turn.attempts, turn.facts) == ("failed", 5, [])
    asked = provider.asked
    clock.move(minutes=10)
    assert await tick(ana) is None
    assert provider.asked == asked
    readiness = await scripted.readiness()
    assert (readiness.status, readiness.parts["work"].ok) == ("degraded", False)
    await assert_invariants(scripted, ana.user_id)


async def test_cases_l1_l8_parked_work_is_tried_again_without_a_new_turn(
    ana: UserMemory, provider: ScriptedProvider, clock: FakeClock
) -> None:
    stored = await ana.remember(
        [TurnIn(user_input=text) for text in ("I live in Oslo.", "one", "two", "three", "four")]
    )
    provider.fail_batch_on, provider.fail_claims_on = ("",), ("",)
    for wait_s in (0, *DURING_ATTEMPTS, 2, 4, 8, 16, 32, 64, 128, 256):
        clock.move(seconds=wait_s)
        await tick(ana)
    assert len((await ana.turns()).items) == 5
    assert (await ana.turn(stored[0].page_id)).state.value == "failed"
    provider.fail_batch_on, provider.fail_claims_on = (), ()
    clock.move(hours=2)
    assert await tick(ana) is None
    assert await _facts(ana) == ["Oslo"]
    assert (await ana.runs(state="parked")).items == []
    assert {turn.state.value for turn in (await ana.turns()).items} == {"indexed"}


async def test_a_page_that_can_not_be_indexed_parks_itself_only(
    ana: UserMemory, scripted: MemoryService, fake_embedder: FakeEmbedder, clock: FakeClock
) -> None:
    texts = [f"kept {n}" for n in range(10)] + ["venom"] + [f"kept {n}" for n in range(10, 20)]
    stored = await ana.remember([TurnIn(user_input=text, conversation_id=text) for text in texts])
    fake_embedder.fail_on = "venom"
    await _pass_attempts(ana, clock)
    for _ in range(3):
        await tick(ana)
    states = {turn.user_input: turn.state.value for turn in (await ana.turns()).items}
    assert [text for text, state in states.items() if state == "failed"] == ["venom"]
    assert set(states.values()) == {"indexed", "failed"}
    assert (await ana.search("venom", kinds=["page"])).hits[0].text == "venom"
    assert (await ana.stats()).pages == {"stm": 3, "mtm": 18, "none": 0}
    (parked,) = (await ana.runs(state="parked")).items
    fake_embedder.fail_on = None
    assert (await ana.retry(parked.run_id)).state == "failed"
    await tick(ana)
    assert (await ana.turn(stored[10].page_id)).state.value == "indexed"
    await assert_invariants(scripted, ana.user_id)


async def test_cases_l17_u05_u18_after_the_last_attempt_a_batch_migrates_with_its_own_text(
    ana: UserMemory, scripted: MemoryService, provider: ScriptedProvider, clock: FakeClock
) -> None:
    await ana.remember([TurnIn(user_input=text) for text in ("the zeppelin over the fjord", "one", "two")])
    provider.fail_batch_on = ("zeppelin",)
    await _pass_attempts(ana, clock)
    assert (await ana.stats()).pages == {"stm": 2, "mtm": 1, "none": 0}
    run = next(run for run in (await ana.runs(state="done")).items if run.kind == "migrate")
    assert (run.model, run.attempts, run.model_calls) == ("fallback", 6, 0)
    (segment,) = (await ana.segments()).items
    assert "zeppelin" in segment.summary
    assert (await ana.search("the zeppelin over the fjord", kinds=["page"])).hits[0].text.startswith("the zeppelin")
    assert len((await ana.turns()).items) == 3
    assert (await ana.runs(state="parked")).items == []
    await assert_invariants(scripted, ana.user_id)


async def test_attempts_may_be_unlimited(
    service: MemoryService, provider: ScriptedProvider, user_id: str, clock: FakeClock
) -> None:
    ana = serving(service, provider=provider, short_term_capacity=1, migration_batch=1, step_attempts=0).user(user_id)
    await ana.remember([TurnIn(user_input=text) for text in ("the zeppelin", "two")])
    provider.fail_batch_on = ("zeppelin",)
    for _ in range(12):
        clock.move(seconds=301)
        await tick(ana)
    assert (provider.asked, (await ana.stats()).pages["stm"]) == (12, 2)
    provider.fail_batch_on = ()
    clock.move(seconds=301)
    await tick(ana)
    assert (await ana.stats()).pages["stm"] == 1


async def test_cases_l4_u01_u28_a_failed_forced_run_changes_nothing(
    ana: UserMemory, scripted: MemoryService, provider: ScriptedProvider
) -> None:
    await ana.remember([TurnIn(user_input="I live in Oslo.")])
    await ana.maintain()
    await ana.remember([TurnIn(user_input="I live in Oslo, and I like jazz.")])
    before, settings = (await ana.facts(), await ana.segments()), scripted.ctx.settings
    provider.fail_batch_on, provider.fail_claims_on = ("",), ("",)
    with pytest.raises(ModelReplyInvalid):
        await ana.maintain("all")
    assert (await ana.facts(), await ana.segments()) == before
    assert scripted.ctx.settings == settings
    assert (await ana.stats()).pages["stm"] == 1


async def test_by_hand_a_run_is_retried_when_it_failed_and_only_then(
    ana: UserMemory, provider: ScriptedProvider, clock: FakeClock
) -> None:
    await ana.remember([TurnIn(user_input=text) for text in ("I live in Oslo.", "one", "two")])
    provider.fail_claims_on = ("Oslo",)
    await tick(ana)
    (failed,) = (await ana.runs(state="failed")).items
    provider.fail_claims_on = ()
    await tick(ana)
    assert await _facts(ana) == []
    assert (await ana.retry(failed.run_id)).run_id == failed.run_id
    await tick(ana)
    assert await _facts(ana) == ["Oslo"]
    done = (await ana.runs(state="done")).items[0]
    with pytest.raises(Conflict, match="done"):
        await ana.retry(done.run_id)
    with pytest.raises(NotFound):
        await ana.retry("no such run")


async def test_the_budget_of_a_day_defers_work_and_counts_no_attempt(
    service: MemoryService, provider: ScriptedProvider, user_id: str, clock: FakeClock
) -> None:
    settings = {"short_term_capacity": 1, "migration_batch": 1, "llm_daily_calls": 2}
    ana = serving(service, provider=provider, **settings).user(user_id)
    stored = await ana.remember([TurnIn(user_input=f"subject {n}") for n in range(5)])
    assert await tick(ana) == "model_budget_spent"
    assert (provider.asked, (await ana.stats()).pages) == (2, {"stm": 3, "mtm": 2, "none": 0})
    assert (await ana.stats()).states["indexed"] == 5
    (deferred,) = (await ana.runs(state="failed")).items
    assert (deferred.error_code, deferred.model_calls) == ("model_budget_spent", 0)
    assert (await ana.turn(stored[2].page_id)).attempts == 0
    with pytest.raises(ModelBudgetSpent):
        await ana.maintain()
    clock.move(hours=10)
    assert await tick(ana) is None
    assert provider.asked == 2
    assert len((await ana.runs(state="failed")).items) == 1
    clock.move(hours=5)
    await tick(ana)
    assert (provider.asked, (await ana.stats()).pages["stm"]) == (4, 1)


async def test_the_budget_of_a_day_counts_tokens_of_failed_calls_too(
    service: MemoryService, provider: ScriptedProvider, user_id: str
) -> None:
    ana = serving(service, provider=provider, short_term_capacity=1, migration_batch=1, llm_daily_tokens=100).user(
        user_id
    )
    provider.fail_batch_on = ("",)
    await ana.remember([TurnIn(user_input=f"subject {n}") for n in range(3)])
    with pytest.raises(ModelReplyInvalid):
        await ana.maintain(force=False)
    with pytest.raises(ModelBudgetSpent):
        await ana.maintain(force=False)
    assert provider.asked == 1


async def test_case_l26_an_unknown_filter_is_an_error(ana: UserMemory) -> None:
    for listing, field in (
        (ana.runs(state="broken"), "state"),
        (ana.facts(status="broken"), "status"),
        (ana.facts(kind="broken"), "kind"),
    ):
        with pytest.raises(InvalidInput) as caught:
            await listing
        assert caught.value.field == field


async def test_a_run_is_read_and_retried_over_http(
    ana: UserMemory, scripted: MemoryService, provider: ScriptedProvider
) -> None:
    from ..api.conftest import client_of, path_of

    await ana.remember([TurnIn(user_input=text) for text in ("I live in Oslo.", "one", "two")])
    provider.fail_claims_on = ("Oslo",)
    await tick(ana)
    async with client_of(scripted) as http:
        base = path_of(ana.user_id)
        (failed,) = (await http.get(f"{base}/runs?state=failed")).json()["items"]
        assert (await http.get(f"{base}/runs/{failed['run_id']}")).json() == failed
        assert (await http.post(f"{base}/runs/{failed['run_id']}/retry")).json()["run_id"] == failed["run_id"]
        done = (await http.get(f"{base}/runs?state=done&limit=1")).json()["items"][0]
        refused = await http.post(f"{base}/runs/{done['run_id']}/retry")
        assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
        assert (await http.get(f"{base}/runs/nothing")).status_code == 404


_PROGRAM = """
import asyncio, os, signal, sys
from memoryos_graph import MemoryService, load_settings
from memoryos_graph.llm.rules import RulesProvider
from memoryos_graph.scheduler import work

SETTINGS = load_settings()
from tests.conftest import FakeEmbedder  # takes the settings out of the environment

class Deadly(RulesProvider):
    async def propose_claims(self, pages):
        os.kill(os.getpid(), signal.SIGKILL)

async def main():
    async with MemoryService.open(SETTINGS, worker=False, embedder=FakeEmbedder(), provider=Deadly()) as service:
        await service.user(sys.argv[1]).maintain()

work.LEASE_S = 0  # a dead process's lease has run out when the next one comes
for _ in range(6):
    if (child := os.fork()) == 0:
        asyncio.run(main())
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


async def test_case_l7_a_job_that_kills_its_process_is_counted_and_parked(
    service: MemoryService, memory: UserMemory, cli_env: dict[str, str]
) -> None:
    (stored,) = await memory.remember(TurnIn(user_input="I live in Oslo."))
    killing = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _PROGRAM, memory.user_id, env=cli_env | {"PYTHONPATH": "."}, stdout=subprocess.PIPE
    )
    out, _ = await killing.communicate()
    assert out.split() == [b"-9"] * 5 + [b"0"]
    (parked,) = (await memory.runs(state="parked")).items
    assert (parked.kind, parked.attempts, parked.error_code) == ("promote", 5, "interrupted")
    codes = [run.error_code for run in (await memory.runs(state="failed")).items]
    assert codes == ["interrupted"] * 4
    turn = await memory.turn(stored.page_id)
    assert (turn.state.value, turn.attempts) == ("failed", 5)
    await memory.retry(parked.run_id)
    await memory.maintain()
    assert [fact.object for fact in (await memory.facts()).items] == ["Oslo"]
    await assert_invariants(service, memory.user_id)
