"""Read-only Cypher of one user: the text is checked, then the plan, then it runs within limits.

text ──▶ tokens ──▶ wording (what may be written, what can't grow) ──▶ EXPLAIN ──▶ anchors (every start is bound to
the user) ──▶ run in read mode with limits of time, rows and bytes ──▶ values without what is not for users
"""
