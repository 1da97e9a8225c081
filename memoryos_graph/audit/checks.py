"""What the doctor looks for: each check with its rule, what it means, and whether it can be mended.

The checks themselves stand in cypher/queries/doctor.cypher, in store/schema.py and in this room, under the same codes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ..contract.health import Finding


class Mend(StrEnum):
    """How a finding is mended; nothing that a user said, and no fact, is ever removed."""

    PAGES = "pages"
    VECTORS = "vectors"
    COUNTS = "counts"
    ORPHANS = "orphans"
    DUE = "due"
    RUNS = "runs"
    INDEXES = "indexes"


@dataclass(frozen=True)
class Check:
    """One rule that the database must keep."""

    rule: str
    says: str
    mend: Mend | None = None


CHECKS: dict[str, Check] = {
    "fact_without_page": Check("I1", "a fact that no page says"),
    "version_without_page": Check("I1", "a version of a topic that no page says"),
    "chain_without_page": Check("I1", "a chain that no page says", Mend.ORPHANS),
    "answer_without_page": Check("I1", "an answer that rests on no page"),
    "replaced_but_open": Check("I4", "a fact that was replaced, but stands as if it was not"),
    "status_against_times": Check("I5", "a fact that is called current, but believed no longer"),
    "page_lost_or_double": Check("I7", "pages that do not match the numbers given out"),
    "two_users_joined": Check("I11", "a relationship that leaves the user"),
    "event_chain": Check("I12", "the chain of events is broken; see `memoryos audit verify`"),
    "quote_not_in_page": Check("I13", "a quote that does not stand in its page"),
    "two_nexts": Check("I14", "a page with two before or after it"),
    "not_one_session": Check("I14", "a page that is not in one session"),
    "not_one_chain": Check("I14", "a page of mid-term memory that is not in one chain"),
    "no_segment": Check("I14", "a page of mid-term memory without a topic"),
    "short_term_full": Check("I14", "more pages in short-term memory than it takes, and no work due", Mend.DUE),
    "segment_counts": Check("counts", "a topic whose counts are not those of its pages", Mend.COUNTS),
    "orphan_passage": Check("orphans", "a window of no page", Mend.ORPHANS),
    "orphan_version": Check("orphans", "a version of no topic", Mend.ORPHANS),
    "user_lost": Check("orphans", "nodes of a user who is none", Mend.ORPHANS),
    "foreign_user_key": Check("keys", "a text that searches of its user do not find: its key is another"),
    "secret_key": Check("keys", "the user's key does not fit the secret key"),
    "page_vector": Check(
        "vectors", "a page whose vector is missing, too short, too long or not normalised", Mend.PAGES
    ),
    "passage_vector": Check("vectors", "a page with such a vector of a window", Mend.PAGES),
    "fact_vector": Check("vectors", "a fact with such a vector", Mend.VECTORS),
    "segment_vector": Check("vectors", "a topic with such a vector", Mend.VECTORS),
    "reembed_unfinished": Check("vectors", "a change of the embedding model is not finished: run `memoryos reembed`"),
    "index": Check("indexes", "an index or constraint that is not as it should be", Mend.INDEXES),
    "run_stuck": Check("work", "a run that nobody is at", Mend.RUNS),
    "forget_unfinished": Check("work", "a forget that was not finished", Mend.DUE),
    "import_unfinished": Check("work", "an import that was not finished: repeat it, or import another file"),
    "work_not_due": Check("work", "pages that wait for work, but nobody will look", Mend.DUE),
    "clock_skew": Check("server", "the clocks of server and program differ, in seconds"),
    "query_log": Check("server", "the server logs queries with their parameters, which are texts of users"),
}


def finding(check: str, id: str = "", user_id: str | None = None) -> Finding:
    """A finding of a check."""
    known = CHECKS[check]
    return Finding(
        check=check, rule=known.rule, says=known.says, user_id=user_id, id=id, mendable=known.mend is not None
    )
