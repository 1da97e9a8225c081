from __future__ import annotations

import pytest

from memoryos_graph.eval.wording import bleu_1, covered, official_f1, set_f1


def test_official_f1_counts_stemmed_words_without_articles() -> None:
    assert official_f1("The quince trees [1]", "a quince tree", "single-hop") == 1
    assert official_f1("a tree", "a quince tree", "single-hop") == pytest.approx(2 / 3)
    assert official_f1("nothing", "a quince tree", "temporal") == 0
    assert official_f1("hiking", "hiking; since she likes hills", "open-domain") == 1
    assert official_f1("painting, pottery", "pottery, camping", "multi-hop") == 0.5


def test_set_f1_takes_words_as_they_are() -> None:
    assert set_f1("the the tree", "the trees") == 0.5
    assert set_f1("", "tree") == 0


def test_bleu_takes_off_for_too_few_words() -> None:
    assert bleu_1("quince tree", "quince tree") == 1
    assert bleu_1("tree tree", "quince tree") == 0.5
    assert bleu_1("tree", "quince tree") == pytest.approx(0.3679, abs=1e-4)
    assert bleu_1("", "tree") == 0


def test_a_sentence_of_the_memory_covers_what_was_wanted() -> None:
    assert covered("Iris: Hello! I planted a quince tree behind the barn. [2, 3]", "quince trees") == 1
    assert covered("", "quince") == 0
    assert covered("quince", "!") == 0


def test_chinese_is_compared_by_characters() -> None:
    assert set_f1("《百年孤独》", "百年孤独。") == 1
    assert covered("我读了百年孤独", "百年") == 1
