"""`pearl data`: what data is here, and how to get, build, check and pass on more of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from pearl.datasets.dataset import DataSet
    from pearl.datasets.sources import SourceChoice
    from pearl.project import Project

app = typer.Typer(
    help="Data sets: status, fetch, build, embed, verify, push.", no_args_is_help=True
)

Names = Annotated[list[str] | None, typer.Argument(help="Data sets; all of them by default.")]
SourceOption = Annotated[
    str | None, typer.Option("--source", help="hub, mirror or sample; params.yaml's by default.")
]
ProfileOption = Annotated[
    str | None, typer.Option("--profile", help="smoke, sample or paper; params.yaml's by default.")
]
StageOption = Annotated[
    bool,
    typer.Option("--stage", help="Write raw/, tables/ or embeddings/: what the DVC stages do."),
]


@app.command()
def status(names: Names = None, profile: ProfileOption = None, source: SourceOption = None) -> None:
    """Show each data set: its source and why, sample beside real, what is here and what isn't."""
    from rich.table import Table

    from pearl.datasets.status import presence

    project, console = _project(), _console()
    for entry, choice, full in _chosen(project, names, profile, source):
        _say(console, choice)
        facts = entry.manifest
        allowed = "commercial use allowed" if facts.commercial else "non-commercial only"
        console.print(f"  {facts.title}, {facts.publisher}; {facts.licence} ({allowed})")
        console.print(f"  {facts.homepage}\n  revision {facts.revision}")
        here = Table("place", "here", "what, or how to get it", title=f"{entry.name}: what is here")
        for item in presence(project, entry):
            here.add_row(item.place, "yes" if item.present else "no", item.seen)
        console.print(here)
        _compare(console, project, entry, full)


@app.command()
def fetch(
    names: Names = None,
    profile: ProfileOption = None,
    source: SourceOption = None,
    stage: StageOption = False,
) -> None:
    """Get the publisher's files of a data set, checked, from its source."""
    from pearl.datasets import places, prepared

    project, console = _project(), _console()
    for entry, choice, full in _chosen(project, names, profile, source, stage=stage):
        _say(console, choice)
        if stage:
            provenance = prepared.fetch(project, entry.name, choice.source, full=full)
            folder = project.raw / entry.name
        else:
            found = places.obtain(project, entry, choice.source, full=full)
            provenance, folder = found.provenance, found.folder
        console.print(f"{provenance.rows:,} records in {folder}")


@app.command()
def build(
    names: Names = None,
    profile: ProfileOption = None,
    source: SourceOption = None,
    stage: StageOption = False,
) -> None:
    """Build a data set's typed tables, fetching its files where they are missing."""
    from pearl.datasets import prepared

    project, console = _project(), _console()
    for entry, choice, full in _chosen(project, names, profile, source, stage=stage):
        if stage:
            provenance, folder = prepared.build(project, entry.name), project.tables / entry.name
        else:
            _say(console, choice)
            ready = prepared.tables(project, entry.name, choice.source, full=full)
            provenance, folder = ready.provenance, ready.folder
        console.print(f"{provenance.label}: {provenance.rows:,} records in {folder}")


@app.command()
def embed(
    names: Names = None,
    profile: ProfileOption = None,
    source: SourceOption = None,
    stage: StageOption = False,
) -> None:
    """Embed the texts of a data set's tables, where it has some; goes on where it was killed."""
    from pearl.datasets import prepared

    project, console = _project(), _console()
    for entry, choice, full in _chosen(project, names, profile, source, stage=stage):
        if entry.embedder is None and not names:
            continue
        if stage or entry.embedder is None:
            provenance = prepared.embed(project, entry.name)
            folder = project.embeddings / entry.name
        else:
            _say(console, choice)
            ready = prepared.prepare(project, entry.name, choice.source, full=full)
            provenance, folder = ready.provenance, ready.folder
        model = provenance.embedding.model if provenance.embedding else "no model"
        console.print(f"{provenance.label}: embedded by {model} in {folder}")


@app.command()
def verify(names: Names = None, profile: ProfileOption = None, source: SourceOption = None) -> None:
    """Check every file of a data set that is here; exit code 1 if a check fails."""
    from rich.table import Table

    from pearl.datasets.verify import verify as checks_of

    project, console = _project(), _console()
    failed = 0
    for entry, choice, full in _chosen(project, names, profile, source):
        _say(console, choice)
        table = Table("check", "holds", "seen")
        for check in checks_of(project, entry, choice.source, full=full):
            table.add_row(check.name, "yes" if check.passed else "NO", check.seen)
            failed += not check.passed
        console.print(table)
    if failed:
        console.print(f"{failed} of the checks failed.")
        raise typer.Exit(1)


@app.command()
def push(
    folder: Annotated[Path, typer.Argument(help="The folder that becomes DVC's remote.")],
    allow_noncommercial: Annotated[
        bool, typer.Option(help="Push data whose licence forbids commercial use, too.")
    ] = False,
) -> None:
    """Push what DVC tracks to a folder; `dvc pull -r pearl-folder` gets it back."""
    from pearl.datasets.push import push as push_to

    push_to(_project(), folder, allow_noncommercial=allow_noncommercial)


@app.command()
def sample(names: Names = None) -> None:
    """Make the committed samples anew with pearl's generators: the same bytes everywhere."""
    from pearl.datasets.registry import DATASETS, dataset

    project, console = _project(), _console()
    for name in names or list(DATASETS):
        dataset(name).write_sample(project.samples / name)
        console.print(f"{name}: written to {project.samples / name}")


def _project() -> Project:
    from pearl.project import Project

    return Project.find()


def _console() -> Console:
    from rich.console import Console

    return Console(markup=False, highlight=False, soft_wrap=True)


def _say(console: Console, choice: SourceChoice) -> None:
    console.print(choice.line)


def _compare(console: Console, project: Project, entry: DataSet, full: bool) -> None:
    """Print the sample's facts beside the published ones."""
    from rich.table import Table

    from pearl.datasets.status import compared, comparisons

    sample = compared(project, entry, full=full)
    if sample is None:
        return
    found = comparisons(entry, sample)
    label = f"{sample.provenance.label}, {sample.provenance.rows:,} records"
    if entry.compare is None:
        table = Table("fact", "publisher's file", "sample", title=f"{entry.name}: {label}")
        for item in found:
            table.add_row(item.name, item.published, item.sample)
    else:
        columns = ("fact", "published", "known", "tolerance", "sample", "within")
        table = Table(*columns, title=f"{entry.name}: {label}")
        said = {True: "yes", False: "NO", None: ""}
        for item in found:
            cells = (item.published, item.status, item.tolerance, item.sample, said[item.within])
            table.add_row(item.name, *cells)
    console.print(table)
    judged = [item.within for item in found if item.within is not None]
    if judged:
        console.print(f"{sum(judged)} of {len(judged)} facts lie within their tolerance.")


def _chosen(
    project: Project,
    names: list[str] | None,
    profile: str | None,
    source: str | None,
    *,
    stage: bool = False,
) -> list[tuple[DataSet, SourceChoice, bool]]:
    """Pair the named data sets with their sources, and whether a sample is meant at full size.

    A stage's source and profile come from params.yaml alone.
    """
    from pearl.datasets.registry import DATASETS, dataset
    from pearl.errors import SettingError
    from pearl.experiments import load_params

    if stage and (source is not None or profile is not None):
        raise SettingError(
            "--stage takes the source from params.yaml, so --source and --profile can't be given.",
            remedy="Set `sources` or `profile` in params.yaml and run `dvc repro`.",
        )
    params = load_params(project)
    full = (profile or params.profile) == "paper"
    entries = [dataset(name) for name in names or list(DATASETS)]
    return [(e, params.source(e.name, flag=source, profile=profile), full) for e in entries]
