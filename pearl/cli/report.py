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

    The report of the profile and source that params.yaml names is also DVC's (`dvc repro`), at
    reports/index.html; that one is never touched here.
    """
    from pearl.errors import SettingError
    from pearl.project import Project
    from pearl.report.build import build
    from pearl.report.choice import all_shown, choose
    from pearl.report.variants import list_variants

    project = Project.find()
    asked = choose(project, profile, source)
    main = (project.reports / "index.html").relative_to(project.root)
    if stage:
        if profile is not None or source is not None:
            raise SettingError("--stage takes its profile and source from params.yaml alone.")
        build(project, asked, stage=True, remedy="Make them with `dvc repro`.")
        typer.echo(f"wrote {main}")
        return
    typer.echo(asked.words)
    page = asked.output(project).relative_to(project.root) / "index.html"
    made = any(asked.made(one, project).is_file() for one in all_shown(project))
    if made or not asked.is_main:
        ids = build(project, asked)
        typer.echo(f"wrote {page}: {', '.join(ids)}")
    if asked.is_main:
        there = (project.root / main).is_file()
        state = "is at" if there else "will be at"
        typer.echo(f"DVC's report of this profile and source {state} {main}; `dvc repro` makes it.")
    for variant in list_variants(project.reports):
        if variant.folder != page.parent.name:
            typer.echo(f"also there: reports/{variant.folder}/index.html")
