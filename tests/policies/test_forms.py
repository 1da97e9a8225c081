"""Secrets by their known forms, and what only looks like one; each is found whole, at the place where it stands."""

from __future__ import annotations

import pytest

from memoryos_graph.domain.claim import Sensitivity
from memoryos_graph.sensitive import find

KEY = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
FORMS = [
    f"ghp_{KEY}",
    "AKIAIOSFODNN7EXAMPLE",
    "glpat-a1B2c3D4e5F6g7H8i9J0",
    "glcbt-a1B2c3D4e5F6g7H8i9J0",
    "xoxb-123456789012-123456789012-abcdefghijklmnopqrstuvwx",
    "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
    "sk-proj-a1B2c3D4e5F6g7H8i9J0T3BlbkFJa1B2c3D4e5F6g7H8i9J0",
    f"sk-ant-api03-{KEY}",
    f"github_pat_{KEY}",
    f"npm_{KEY}",
    f"hf_{KEY}",
    f"AIzaSy{KEY[:33]}",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\nMIIEdef\n-----END RSA PRIVATE KEY-----",
    f"123456789:{KEY[:35]}",
    f"SG.{KEY[:22]}.{KEY}{KEY[:7]}",
    "4111 1111 1111 1111",
    "5500-0000-0000-0004",
    "378282246310005",
    "6222021234567890128",
    "11010519491231002X",
    "536-22-8726",
]
TOLD = [
    ("The wifi password is hunter2", "hunter2"),
    ("password: correct-horse", "correct-horse"),
    ("my PIN is 4821.", "4821"),
    ("The passcode for the lab is now 77-41!", "77-41"),
    ("My password is swordfish.", "swordfish"),
    ("api_key=abc123def", "abc123def"),
    ("postgres://ana:s3cr3t@db.example.org/x", "s3cr3t"),
    ("My seed phrase is: apple bear cat dog egg fish goat hat ink jam kite lion", "apple bear cat"),
    ("密码是abc12345", "abc12345"),
    ("验证码：830217。", "830217"),
]
NOT_SECRET = [
    "My password is too short.",
    "The password was changed yesterday.",
    "I lost my card and my pin.",
    "The order 4111111111111112 was sent.",
    "It costs 4,111 in total, 1111 each.",
    "Version 1.2.3.4 of the tool is out.",
    "Call it 2026-03-01T10:00:00Z.",
    "The recipe: 200 g sugar, 3 eggs.",
    "The secret is to stir slowly.",
    "I saw a pin on your purse. Is Spider-Man your favorite?",
    "Her favourite pin is Spider-Man.",
    "密码太短了。",
]
NOT_SENSITIVE = [
    "I have been practicing dance routines lately.",
    "I love the new show coming out, called The Wheel of Time.",
    "Each stroke of the brush carries a part of me.",
    "我们珍视传统和文化遗产。",
]


def _secrets(text: str) -> list[str]:
    return [text[one.start : one.end] for one in find(text) if one.kind is Sensitivity.CREDENTIALS]


@pytest.mark.parametrize("secret", FORMS)
@pytest.mark.parametrize("around", ["{}", "Use {} for it.", "看：{}。", 'x="{}"'])
def test_a_secret_of_a_known_form_is_found_whole(secret: str, around: str) -> None:
    text = around.format(secret)
    start = text.index(secret)
    covered = {at for one in find(text) if one.kind is Sensitivity.CREDENTIALS for at in range(one.start, one.end)}
    assert covered >= set(range(start, start + len(secret)))
    assert min(covered) >= 0


@pytest.mark.parametrize(("text", "secret"), TOLD)
def test_a_secret_told_in_words_is_found_without_the_words_around_it(text: str, secret: str) -> None:
    (found,) = set(_secrets(text))
    assert found.startswith(secret)
    assert text.startswith("My seed") or found == secret


@pytest.mark.parametrize("text", NOT_SECRET)
def test_what_only_looks_like_a_secret_is_left(text: str) -> None:
    assert _secrets(text) == []


@pytest.mark.parametrize("text", NOT_SENSITIVE)
def test_everyday_words_are_of_no_class(text: str) -> None:
    assert find(text) == []
