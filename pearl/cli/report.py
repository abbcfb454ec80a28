"""`pearl report`: tables, figures and a page, measured beside published."""

from __future__ import annotations

from typing import Annotated

import typer


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
    """Write the report of a profile and source made by `pearl run`: reports/PROFILE-SOURCE/.

    The report of the profile and source that params.yaml names is DVC's (`dvc repro`), at
    reports/index.html; it is never touched here.
    """
    from pearl.errors import SettingError
    from pearl.project import Project
    from pearl.report.build import build
    from pearl.report.choice import choose
    from pearl.report.variants import list_variants

    project = Project.find()
    asked = choose(project, profile, source)
    page = asked.output(project).relative_to(project.root) / "index.html"
    if stage:
        if profile is not None or source is not None:
            raise SettingError("--stage takes its profile and source from params.yaml alone.")
        build(
            project,
            profile=asked.profile,
            source=None,
            results_folder=project.results,
            output=project.reports,
            remedy="Make them with `dvc repro`.",
        )
        typer.echo(f"wrote {page}")
        return
    typer.echo(f"profile {asked.profile}, source {asked.source}")
    if asked.is_main:
        found = list_variants(project.reports)
        typer.echo(f"This is DVC's report, at {page}; `dvc repro` makes it.")
    else:
        build(
            project,
            profile=asked.profile,
            source=asked.source,
            results_folder=asked.results(project),
            output=asked.output(project),
        )
        found = list_variants(project.reports)
        typer.echo(f"wrote {page}")
    for variant in found:
        if variant.folder != page.parent.name:
            typer.echo(f"also there: reports/{variant.folder}/index.html")
