"""`cypher`: free, named, listed, refused."""

from __future__ import annotations

from .conftest import Cli


def test_cypher_on_the_command_line(ana: Cli) -> None:
    assert ana("remember", "I live in Porto.").code == 0
    said = (
        "MATCH (p:Page {user_id: $user_id}) WHERE p.user_input CONTAINS $word RETURN p.user_input AS said, p.seq AS seq"
    )
    assert ana("cypher", said, "--param", "word=Porto", "-o", "json").json["rows"] == [
        {"said": "I live in Porto.", "seq": 1}
    ]
    ran = ana("cypher", said, "-p", 'word="Porto"')
    assert (ran.code, "I live in Porto." in ran.out, "seq" in ran.out) == (0, True, True)
    assert "no rows" in ana("cypher", said, "-p", "word=Oslo").out
    named = ana("cypher", "said_with", "-p", "words=PORTO", "-o", "json").json
    assert [row["user"] for row in named["rows"]] == ["I live in Porto."]
    drawn = ana("cypher", "from_page", "-p", f"page_id={named['rows'][0]['page_id']}", "--graph")
    assert (drawn.code, "IN_SESSION" in drawn.out, "Session:" in drawn.out) == (0, True, True)
    listed = ana("cypher", "--list")
    assert (listed.code, "what_changed" in listed.out, "since [until]" in listed.out) == (0, True, True)
    refused = ana("cypher", "MATCH (p:Page) RETURN p")
    assert (refused.code, "write (p:Page {user_id: $user_id})" in refused.err) == (2, True)
    assert ana("cypher").code == 2
    assert ana("cypher", "said_with", "-p", "words").code == 2
