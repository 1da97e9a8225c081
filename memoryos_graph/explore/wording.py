"""What a query may say: names, functions and size. Where it starts is for its plan (anchors.py)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import prod

from ..errors import QueryRefused
from .hidden import HIDDEN
from .loops import check_loops
from .tokens import Token

FIRST_WORDS = {"match", "optional", "with", "unwind", "return", "call"}
_EXPRESSION = "and or xor not is null true false case when then else end starts ends with contains in distinct where"
EXPRESSION_WORDS = frozenset(_EXPRESSION.split())
_BEFORE_BRACKET = EXPRESSION_WORDS | {
    "return",
    "unwind",
    "match",
    "call",
    "shortest",
    "paths",
    "path",
    "groups",
    "group",
    "limit",
}
_LIST_AFTER = (EXPRESSION_WORDS - {"null", "true", "false", "end"}) | {"return", "unwind"}
_RESERVED = EXPRESSION_WORDS | _LIST_AFTER
_AFTER_VARIABLE = {":", ")", "]", "{", "*", ",", "|", ".", "=", "in", "is", "where", "and", "or"}
_FUNCTIONS = """
count sum avg min max collect stdev stdevp percentilecont percentiledisc coalesce nullif head last tail size
length type labels keys nodes relationships startnode endnode tointeger tofloat toboolean tostring
tointegerornull tofloatornull tobooleanornull tostringornull tolower toupper lower upper trim ltrim rtrim
btrim substring left right reverse split char_length character_length isempty exists all any none single range
abs ceil floor round sign sqrt exp log log10 timestamp date datetime localdatetime time localtime duration
date.truncate datetime.truncate localdatetime.truncate duration.between duration.indays duration.inmonths
duration.inseconds datetime.fromepoch datetime.fromepochmillis shortestpath allshortestpaths
"""
FUNCTIONS = frozenset(_FUNCTIONS.split())
_INSTEAD = {
    "id": "use the ids of the memory, such as f.fact_id or p.page_id",
    "elementid": "use the ids of the memory, such as f.fact_id or p.page_id",
    "properties": "name the properties you want, or return the node itself",
    "reduce": "use sum, avg, min, max or collect",
    "allreduce": "use sum, avg, min, max or collect",
}
DEEPEST = 12
AT_MOST = {"relationships": 10, "xor": 2, "or": 20, "and": 60, "case": 10, "union": 10, "match": 20, "with": 30}
MAX_ARITHMETIC = 40
MAX_GROWTH = 100
SPLIT_GROWTH = 8
RANGE_LENGTH, RANGES = 366, 2
_NO = Token("end", "")


def check_wording(tokens: Sequence[Token]) -> None:
    """Raises QueryRefused with what to write instead. Source of the limits: measured on both server lines."""
    if not tokens or tokens[0].low not in FIRST_WORDS:
        raise QueryRefused("a query begins with MATCH, OPTIONAL MATCH, WITH, UNWIND, CALL { } or RETURN; it only reads")
    _check_names(tokens)
    _check_size(tokens)
    _check_calls(tokens)
    _check_lists(tokens)
    check_loops(tokens, EXPRESSION_WORDS)
    _check_growth(tokens)


def params_of(tokens: Sequence[Token]) -> set[str]:
    """Names of the parameters that are used."""
    return {token.text[1:] for token in tokens if token.kind == "param"}


def _around(tokens: Sequence[Token]) -> Iterator[tuple[int, Token, Token, Token]]:
    for n, token in enumerate(tokens):
        yield n, tokens[n - 1] if n else _NO, token, tokens[n + 1] if n + 1 < len(tokens) else _NO


def _check_names(tokens: Sequence[Token]) -> None:
    for _, before, token, after in _around(tokens):
        if token.kind == "word" and token.low in HIDDEN:
            raise QueryRefused(f"`{token.text}` is not for queries")
        if token.text == "*" and before.text in (".", ".."):
            raise QueryRefused("`.*` is not available: name the properties you want, or return the node itself")
        if token.kind == "word" and token.low in _RESERVED and _names_something(before, token, after):
            raise QueryRefused(f"`{token.text}` is a word of the language: name it otherwise")
        if token.kind == "param" and after.text == "(":
            raise QueryRefused(f"`{token.text}` is no function")


def _names_something(before: Token, token: Token, after: Token) -> bool:
    """Whether a word of the language stands where a variable is made: then `then['x']` would be no list."""
    if before.low in ("as", "match"):
        return True
    if before.text not in ("(", "[", ",") or token.low in ("null", "true", "false"):
        return False
    return token.low not in ("not", "case", "distinct") or after.low in _AFTER_VARIABLE


def _check_size(tokens: Sequence[Token]) -> None:
    depth, counted = 0, Counter[str]()
    for n, before, token, after in _around(tokens):
        if token.mate > n:
            depth += 1
            if depth > DEEPEST:
                raise QueryRefused(f"brackets may be {DEEPEST} deep")
        elif token.mate >= 0:
            depth -= 1
        if token.kind == "word" and before.text not in (".", ":"):
            counted[token.low] += 1
            if token.low == "not" and after.low == "not":
                raise QueryRefused("`NOT NOT` says nothing")
        if token.text in "+*/%^" and token.kind == "sign":
            counted["arithmetic"] += 1
        second = tokens[n + 2].text if n + 2 < len(tokens) else ""
        if token.text == ")" and after.text + second in ("--", "-[", "<-"):
            counted["relationships"] += 1
    for name, most in (*AT_MOST.items(), ("arithmetic", MAX_ARITHMETIC)):
        if counted[name] > most:
            said = {"relationships": "relationships", "arithmetic": "signs of arithmetic"}.get(name, f"{name.upper()}s")
            raise QueryRefused(f"a query may have {most} {said}")


def _check_calls(tokens: Sequence[Token]) -> None:
    ranges = 0
    for n, before, token, after in _around(tokens):
        if token.low == "call" and token.kind == "word" and before.text not in (".", ":") and after.text not in "({":
            raise QueryRefused("procedures are not available; CALL takes a subquery in { }")
        if token.kind != "word" or after.text != "(":
            continue
        name = _full_name(tokens, n)
        if name in FUNCTIONS:
            if name == "range":
                ranges += 1
                _check_range(tokens, n + 1, ranges)
        elif "." in name or name not in _BEFORE_BRACKET:
            hint = f": {_INSTEAD[name]}" if name in _INSTEAD else ""
            raise QueryRefused(f"the function {name}() is not available{hint}")


def _full_name(tokens: Sequence[Token], n: int) -> str:
    name = tokens[n].low
    while n >= 2 and tokens[n - 1].text == "." and tokens[n - 2].kind == "word":
        n -= 2
        name = f"{tokens[n].low}.{name}"
    return name


def _check_range(tokens: Sequence[Token], start: int, ranges: int) -> None:
    inside = "".join(token.text for token in tokens[start + 1 : tokens[start].mate])
    try:
        numbers = [int(part) for part in inside.split(",")]
        length = len(range(*(numbers[0], numbers[1] + 1, *numbers[2:])))
    except (ValueError, TypeError, IndexError, OverflowError):
        length = RANGE_LENGTH + 1
    if length > RANGE_LENGTH or ranges > RANGES:
        raise QueryRefused(
            f"range() takes plain numbers, gives at most {RANGE_LENGTH} of them, and may stand {RANGES} times"
        )


def _check_lists(tokens: Sequence[Token]) -> None:
    """`x[…]` takes plain numbers: a computed name would get at any property."""
    for n, before, token, _ in _around(tokens):
        if token.text != "[" or token.mate < n:
            continue
        word = before.kind == "word" and (before.low not in _LIST_AFTER or tokens[max(0, n - 2)].text == ".")
        if word or before.kind in ("param", "text") or before.text in (")", "]", "}"):
            inside = [t for t in tokens[n + 1 : token.mate] if t.text not in ("-", "..")]
            if not all(t.kind == "number" and t.text.isdigit() for t in inside):
                raise QueryRefused("`x[…]` takes plain numbers, such as x[0] or x[0..3]; a property is x.name")


def _check_growth(tokens: Sequence[Token]) -> None:
    """How many times larger than what is stored a value can be made: each + may double it, each list hold it again."""
    factors: list[int] = [1]
    counting, states = False, list[bool]()
    enclosing: list[str] = []
    for _, before, token, after in _around(tokens):
        if token.text in ("(", "[", "{"):
            enclosing.append(token.text)
            states.append(counting)
        elif token.text in (")", "]", "}"):
            enclosing.pop()
            counting = states.pop()
        elif token.kind == "word" and before.text not in (".", ":"):
            starts = token.low == "with" and before.low not in ("starts", "ends")
            if starts or token.low in ("return", "unwind"):
                counting = True
                factors.append(1)
            elif token.low in ("match", "where") and after.text != ":":
                counting = token.low == "where" and bool(enclosing) and counting
            elif token.low == "split":
                factors[-1] += SPLIT_GROWTH - 1
        elif counting and _grows(token, enclosing):
            factors[-1] += 1
    if prod(factors) > MAX_GROWTH:
        raise QueryRefused("values may not be put together over and over (+, lists and maps in WITH after WITH)")


def _grows(token: Token, enclosing: Sequence[str]) -> bool:
    return token.text in ("+", "|") or (token.text == "," and bool(enclosing) and enclosing[-1] in "[{")
