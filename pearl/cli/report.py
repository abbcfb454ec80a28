"""`pearl report`: tables, figures and a page, measured beside published."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pearl.project import Project
    from pearl.sweeps.standing import Standing


def report(
    profile: Annotated[
        str | None, typer.Option(help="smoke, sample or paper; params.yaml's by default.")
    ] = None,
    source: Annotated[
        str | None, typer.Option(help="hub, mirror or sample; as `pearl run` chose by default.")
    ] = None,
    stage: Annotated[
        bool, typer.Option("--stage", hidden=True, help="Write DVC's report from results/.")
    ] = False,
) -> None:
    """Write tables, figures and pages, measured beside published.

    With the profile and sources of params.yaml it is the main report, reports/: each section stands
    on DVC's results (`dvc repro`) where they are there, else on what `pearl run` made. Of another
    profile or source it is what `pearl run` made, in reports/PROFILE-SOURCE/.
    """
    from pearl.errors import SettingError
    from pearl.project import Project
    from pearl.report.build import build
    from pearl.report.choice import choose, of_pipeline
    from pearl.report.variants import list_variants

    project = Project.find()
    asked = choose(project, profile, source)
    main = (project.reports / "index.html").relative_to(project.root)
    if stage:
        if profile is not None or source is not None:
            raise SettingError("--stage takes its profile and source from params.yaml alone.")
        build(project, asked, of_pipeline(project), main=True, remedy="Make them with `dvc repro`.")
        typer.echo(f"wrote {main}")
        return
    typer.echo(asked.words)
    if asked.is_main:
        page = main
        found = _standing(project)
        typer.echo(_where_from(found))
        files = {one.id: one.file for one in found if one.file is not None}
        remedy = "Make them with `pearl run`, one experiment or a whole paper, or with `dvc repro`."
        build(project, asked, files, main=True, remedy=remedy)
        typer.echo(f"wrote {page}")
    else:
        page = asked.output(project).relative_to(project.root) / "index.html"
        ids = build(project, asked, asked.of_runs(project))
        typer.echo(f"wrote {page}: {', '.join(ids)}")
    for variant in list_variants(project.reports):
        if variant.folder != page.parent.name:
            typer.echo(f"also there: reports/{variant.folder}/index.html")


def _standing(project: Project) -> list[Standing]:
    """Look where the results stand of all that the report shows and that has results at all."""
    from pearl.experiments import Exhibit, load_params
    from pearl.report.choice import all_shown
    from pearl.sweeps.standing import standing

    params = load_params(project)
    return [
        standing(project, one, params)
        for one in all_shown(project)
        if not (isinstance(one, Exhibit) and one.dataset is None)
    ]


def _where_from(found: Sequence[Standing]) -> str:
    """Say in one line what stands on which results."""

    def named(one: Standing) -> str:
        if one.present < one.named:
            return f"{one.id} ({one.present} of {one.named} runs)"
        return f"{one.id} ({one.left}: `pearl run {one.id}`)" if one.left else one.id

    parts = (
        ("from results/ (dvc repro)", [one for one in found if one.by == "dvc"]),
        ("from store/results/ (pearl run)", [one for one in found if one.by == "run"]),
        ("left out", [one for one in found if one.file is None and one.left]),
        ("not run yet", [one for one in found if one.file is None and not one.left]),
    )
    said = [f"{words}: {', '.join(map(named, group))}" for words, group in parts if group]
    return "; ".join(said)
