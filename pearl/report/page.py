"""The report's pages: an index and one a paper, as HTML (apart from figures) and Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from pearl.files import write_text
from pearl.report.choice import NO_DATA
from pearl.report.claims import Paper
from pearl.report.printing import markdown_rows
from pearl.report.rows import Runs
from pearl.report.settings import ReportSettings
from pearl.report.views import PaperView

FORMS = ("html", "md")
Absent = tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Head:
    """What stands at the top: profile, sources, data labels; `up` leads to the main report.

    `sample` are the labels of sample data; `all_sample` tells that there is no other.
    """

    profile: str
    sources: tuple[str, ...]
    labels: tuple[str, ...]
    sample: tuple[str, ...]
    all_sample: bool
    confidence: str
    up: str

    @classmethod
    def of(cls, runs: Sequence[Runs], settings: ReportSettings, *, main: bool) -> Head:
        """Collect it from all runs of the report."""
        return cls(
            profile=runs[0].profile,
            sources=tuple(sorted({one.source for one in runs} - {NO_DATA})) or (NO_DATA,),
            labels=tuple(sorted({one.data_label for one in runs})),
            sample=tuple(sorted({one.data_label for one in runs if one.on_sample_data})),
            all_sample=all(one.on_sample_data for one in runs),
            confidence=f"{100 * settings.confidence:g}%",
            up="" if main else "../",
        )


def write_pages(
    output: Path,
    head: Head,
    papers: Sequence[PaperView],
    others: Sequence[tuple[Paper, Absent]] = (),
) -> None:
    """Write the index and a page a paper from the templates, as HTML and as Markdown.

    A paper's claims with their provenance also stand alone, in tables/<paper>-claims.md.

    `others` are papers without any result, with the id, title and place of all that they lack;
    pages of such that an earlier report left are removed.
    """
    environment = Environment(
        loader=PackageLoader("pearl.report"),
        autoescape=lambda name: name is not None and name.endswith(".html.j2"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals["markdown_rows"] = markdown_rows
    for form in FORMS:
        index = environment.get_template(f"index.{form}.j2")
        write_text(output / f"index.{form}", index.render(head=head, papers=papers, others=others))
        page = environment.get_template(f"paper.{form}.j2")
        for entry in papers:
            text = page.render(head=head, papers=papers, entry=entry)
            write_text(output / f"{entry.paper.paper}.{form}", text)
        for paper, _ in others:
            (output / f"{paper.paper}.{form}").unlink(missing_ok=True)
    claims = environment.get_template("claims.md.j2")
    for entry in papers:
        text = claims.render(head=head, entry=entry)
        write_text(output / "tables" / f"{entry.paper.paper}-claims.md", text)
