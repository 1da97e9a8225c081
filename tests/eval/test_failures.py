from __future__ import annotations

from memoryos_graph.eval.failures import MODULES, Failure, counted, unanswered, unfound


def test_the_first_thing_that_went_wrong_is_named() -> None:
    assert unfound(written=False, indexed=False, as_told=False, rank=None) == Failure.NOT_WRITTEN
    assert unfound(written=True, indexed=False, as_told=False, rank=1) == Failure.WRITTEN_WRONG
    assert unfound(written=True, indexed=False, as_told=True, rank=None) == Failure.NOT_INDEXED
    assert unfound(written=True, indexed=True, as_told=True, rank=None) == Failure.NOT_FOUND
    assert unfound(written=True, indexed=True, as_told=True, rank=40) == Failure.RANKED_LOW
    assert unanswered(cites_facts=True, cites_evidence=False) == Failure.MISLED
    assert unanswered(cites_facts=True, cites_evidence=True) == Failure.UNUSED


def test_every_failure_has_a_module_and_counts_with_examples() -> None:
    assert MODULES.keys() == set(Failure)
    found = counted([("b", Failure.UNUSED), ("a", Failure.NOT_WRITTEN), *((str(n), Failure.UNUSED) for n in range(20))])
    assert [(f.type, f.questions, len(f.examples)) for f in found] == [
        (Failure.NOT_WRITTEN, 1, 1),
        (Failure.UNUSED, 21, 10),
    ]
    assert found[0].module == "pipeline.intake"
