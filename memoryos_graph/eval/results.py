"""Files of results for people: the figures of each run as JSON, and one page that sets all runs beside each other.

The plot needs the extra `eval` (matplotlib); without it the page has tables only.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from .run import Report
from .scores import DEPTHS

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: .5rem 0 2rem }
caption { text-align: left; font-weight: 600; padding: .3rem 0 }
th, td { padding: .25rem .8rem; border-bottom: 1px solid #ddd; text-align: right }
th:first-child, td:first-child { text-align: left }
svg { max-width: 100%; height: auto } pre { background: #f6f6f6; padding: .8rem; overflow-x: auto; font-size: 13px }
"""
COLOURS = ("#1b6ca8", "#e08e1b", "#6a9a3a", "#8a5fa8", "#888888")


def write(report: Report, folder: Path) -> Path:
    """Write `DATASET-TURNS-MODE.json`, and the page of all modes that are in the folder, whose path is given."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{report.dataset}-{report.page_turns}"
    (folder / f"{name}-{report.mode}.json").write_text(report.model_dump_json(indent=2), encoding="utf-8")
    runs = [
        Report.model_validate_json(path.read_text(encoding="utf-8")) for path in sorted(folder.glob(f"{name}-*.json"))
    ]
    page = folder / f"{name}.html"
    page.write_text(_page(sorted(runs, key=lambda run: -run.recall["10"])), encoding="utf-8")
    return page


def _page(runs: Sequence[Report]) -> str:
    first = runs[0]
    title = f"{first.dataset}: {first.questions} questions, pages of {first.page_turns} turns"
    sections = [
        f"<h1>{escape(title)}</h1>",
        "<p>Evidence recall: the share of a question's evidence pages among the first 5, 10 or 20 that are found.</p>",
        _plot(runs),
        _table("Recall by mode", ["mode", *_DEPTHS, "MRR", "p50 ms", "p95 ms"], [_run_row(run) for run in runs]),
        _table("Recall @10 by category", ["category", "questions", *(run.mode for run in runs)], _category_rows(runs)),
        _table(
            "Evidence missed in the first ten",
            ["what went wrong", "module", *(run.mode for run in runs)],
            _missed(runs),
        ),
        _table("What the memory became", ["", *(run.mode for run in runs)], _memory_rows(runs)),
        _answers([run for run in runs if run.answers is not None]),
        *(f"<h2>{escape(run.mode)}</h2><pre>{escape(_config(run))}</pre>" for run in runs),
    ]
    head = f"<meta charset=utf-8><title>{escape(title)}</title><style>{STYLE}</style>"
    return f"<!doctype html><html lang=en><head>{head}</head><body>{''.join(sections)}</body></html>\n"


_DEPTHS = [f"@{depth}" for depth in DEPTHS]


def _run_row(run: Report) -> list[str]:
    figures = [*(run.recall[str(depth)] for depth in DEPTHS), run.mrr]
    return [run.mode, *(f"{x:.3f}" for x in figures), f"{run.latency_ms.p50:.1f}", f"{run.latency_ms.p95:.1f}"]


def _category_rows(runs: Sequence[Report]) -> list[list[str]]:
    return [
        [name, f"{group['questions']:.0f}", *(f"{run.by_category[name]['10']:.3f}" for run in runs)]
        for name, group in runs[0].by_category.items()
        if all(name in run.by_category for run in runs)
    ]


def _missed(runs: Sequence[Report]) -> list[list[str]]:
    counts = [{failure.type: failure.questions for failure in run.missed} for run in runs]
    kinds = {failure.type: failure.module for run in runs for failure in run.missed}
    return [[kind, module, *(str(count.get(kind, 0)) for count in counts)] for kind, module in sorted(kinds.items())]


def _memory_rows(runs: Sequence[Report]) -> list[list[str]]:
    names = ("nodes_per_turn", "relationships_per_turn", "bytes_per_turn", "profile_versions_per_100_turns")
    return [[name.replace("_", " "), *(f"{getattr(run.memory, name):g}" for run in runs)] for name in names]


def _answers(runs: Sequence[Report]) -> str:
    rows = []
    for run in runs:
        assert run.answers is not None, "only such are given"
        words, refused = run.answers.words, run.answers.refused
        figures = [words["f1"], words["set_f1"], words["bleu_1"], words["covered"], run.answers.citation_precision]
        rows.append([run.mode, *(f"{x:.3f}" for x in (*figures, refused["unanswerable"], refused["answerable"]))])
    heads = ["mode", "F1", "set F1", "BLEU-1", "words covered", "citations right", "refused rightly", "refused wrongly"]
    return _table("Answers", heads, rows) if rows else ""


def _config(run: Report) -> str:
    return "\n".join(f"{name}: {value}" for name, value in run.config.items())


def _table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in heads)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _plot(runs: Sequence[Report]) -> str:
    """Recall @10 by category, the modes side by side, as SVG."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return "<p>(The plot needs matplotlib: install the extra <code>eval</code>.)</p>"
    groups = ["all", *(row[0] for row in _category_rows(runs))]
    figure = Figure(figsize=(9, 3.8), layout="constrained")
    axes: Any = figure.subplots()
    width = 0.8 / len(runs)
    for n, run in enumerate(runs):
        heights = [run.recall["10"], *(run.by_category[name]["10"] for name in groups[1:])]
        places = [place + (n - (len(runs) - 1) / 2) * width for place in range(len(groups))]
        bars = axes.bar(places, heights, width * 0.92, label=run.mode, color=COLOURS[n % len(COLOURS)])
        axes.bar_label(bars, fmt=lambda x: f"{x:.2f}".removeprefix("0"), fontsize=8, padding=2)
    axes.set_xticks(range(len(groups)), groups)
    axes.set_ylim(0, 1.08)
    axes.set_ylabel("evidence recall @10")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, ncols=len(runs), loc="lower right", bbox_to_anchor=(1, 1))
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg")
    return drawn.getvalue()[drawn.getvalue().index("<svg") :]
