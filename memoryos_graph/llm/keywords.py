"""Keywords of pages, with libraries for stems, stop words and Chinese words. Pure functions, no model, no network."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import rjieba
import snowballstemmer
import stopwordsiso

from ..domain import text as plain
from ..domain.page import page_text, time_words
from ..domain.text import CJK_CHAR, tokens

# Small talk that no stop list has, and that says nothing about the subject of a page.
_CHAT_WORDS = """
absolutely actually amazing awesome bye cool definitely feel glad good great haha happy hello hey hi hmm hope lol
love lot makes nice pretty recently sounds talk today tomorrow tonight totally um user assistant wonderful wow
yesterday
真的 觉得 感觉 喜欢 知道 谢谢 你好 好的 当然 可以 没有 最近 今天 明天 昨天 现在 一些 一下
一个 这个 那个 什么 怎么 非常 特别 时候 有点 推荐 建议 用户 助手 朋友 希望 哈哈 想要 需要
晚上 早上 下午 应该 问题 东西 事情 方面 不错 开心 聊聊 聊天 看看 试试
"""
_CHAT = frozenset(_CHAT_WORDS.split())
# Parts of speech that can name a subject: nouns, verbs, idioms, foreign words (tags of the PKU set).
_SUBJECT_TAGS = ("n", "v", "i", "l", "j", "eng")


# A stemmer keeps state while it works, so that each thread has its own.
_LOCAL = threading.local()


@cache
def _stop_words() -> frozenset[str]:
    return frozenset(stopwordsiso.stopwords(["en", "zh"])) | _CHAT


def words(text: str) -> Iterator[str]:
    """Content words in order, lower case: Chinese by a segmenter, other scripts by their word characters."""
    stop = _stop_words()
    for token in tokens(text):
        pieces = _segmented(token) if CJK_CHAR.match(token) else plain.content(token)
        yield from (piece for piece in pieces if piece not in stop)


def _segmented(run: str) -> Iterator[str]:
    for word, tag in rjieba.tag(run):
        if len(word) > 1 and tag.startswith(_SUBJECT_TAGS):
            yield word


def stem(word: str) -> str:
    """The English stem of a word; words of other scripts stay as they are."""
    if not word.isascii():
        return word
    stemmer = getattr(_LOCAL, "stemmer", None)
    if stemmer is None:
        stemmer = _LOCAL.stemmer = snowballstemmer.stemmer("english")
    return str(stemmer.stemWord(word))


def keywords(text: str, limit: int = 10) -> tuple[str, ...]:
    """At most `limit` lower-case keywords of a text, the most repeated first, one per stem. Deterministic."""
    return plain.keywords(text, limit, words=words, stem=stem)


def text_row(page: Mapping[str, Any]) -> dict[str, Any]:
    """What a page is found by besides its vector, as it is written; needs no model."""
    text = page_text(page["user_input"], page["assistant_response"], page["tool_text"])
    return {
        "page_id": page["page_id"],
        "content_hash": page["content_hash"],
        "text": text,
        "keywords": list(keywords(text)),
        "time_words": time_words(text),
    }
