"""An experiment is data: which methods, settings and seeds stand behind one table or figure."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.abc import Traversable
from importlib.resources import files
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from pearl.errors import SettingError
from pearl.experiments.environment import Environment, load_environments
from pearl.experiments.params import Profile
from pearl.experiments.seeds import LIMIT, MOST, read_seeds
from pearl.project import Project
from pearl.words import one_of, validated
from pearl.yaml_files import read_mapping

Count = Annotated[int, Field(ge=1, strict=True)]
Seed = Annotated[int, Field(ge=0, lt=LIMIT, strict=True)]
SeedCount = Annotated[int, Field(ge=1, le=MOST, strict=True)]
Seeds = SeedCount | Annotated[tuple[Seed, ...], Field(min_length=1, max_length=MOST)]
Grid = dict[str, Annotated[tuple[Any, ...], Field(min_length=1)]]
VariantName = Annotated[str, Field(pattern=r"^[a-z0-9_]+$")]


class ProfileChange(BaseModel):
    """What a profile changes; absent names keep the experiment's own value.

    `settings` and `grid` are laid over the experiment's, name by name; `variants` names those of
    the experiment's that are run.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    settings: dict[str, Any] = {}
    horizon: Count | None = None
    seeds: Seeds | None = None
    methods: tuple[str, ...] | None = None
    grid: Grid = {}
    variants: tuple[str, ...] | None = None
    variant_methods: tuple[str, ...] | None = None


class Shown(BaseModel):
    """Which figure, table and explanation show the experiment: names of the report's own parts."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    figure: str | None = None
    table: str | None = None
    explanation: str | None = None
    """What beside the claims decides the outcome, told from the runs."""


class Experiment(BaseModel):
    """One table or figure of a paper as a grid of runs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[a-z0-9_]+(/[a-z0-9_-]+)+$")
    """Such as memory/figure1e."""
    title: str
    paper: Literal["memory", "pearl"]
    place: str
    """Where the paper shows it, such as "Figure 1 (E)"."""
    question: str
    environment: str
    settings: dict[str, Any] = {}
    """Laid over the environment's settings in params.yaml."""
    horizon: Count
    """T, in the environment's `horizon_unit`."""
    seeds: Seeds
    """A count n (seeds 0..n-1) or the seeds themselves."""
    methods: Annotated[tuple[str, ...], Field(min_length=1)]
    reference: str
    """The method that the others are compared with."""
    grid: Grid = {}
    """Settings (or `horizon`) swept: every combination is run."""
    variants: dict[VariantName, dict[str, Any]] = {}
    """Settings (or `horizon`) by name, each laid alone over the whole grid beside the base."""
    variant_methods: tuple[str, ...] | None = None
    """The methods that the variants are run with; all by default."""
    users: tuple[str, ...] = ()
    """What of each user the results hold: names of what its runs tell of users, such as error, by
    epoch, or error.total, over all epochs."""
    profiles: dict[Profile, ProfileChange] = {}
    report: Shown = Shown()

    @property
    def file_stem(self) -> str:
        """The id as a file name, such as memory-figure1e."""
        return self.id.replace("/", "-")

    def under(self, profile: Profile) -> Experiment:
        """Return the experiment as a profile makes it; a profile not named changes nothing."""
        change = self.profiles.get(profile, ProfileChange())
        names = self.variants if change.variants is None else change.variants
        return self.model_copy(
            update={
                "settings": {**self.settings, **change.settings},
                "horizon": change.horizon or self.horizon,
                "seeds": self.seeds if change.seeds is None else change.seeds,
                "methods": change.methods or self.methods,
                "grid": {**self.grid, **change.grid},
                "variants": {name: self.variants[name] for name in names},
                "variant_methods": change.variant_methods or self.variant_methods,
                "profiles": {},
            }
        )

    def methods_of(self, variant: str) -> tuple[str, ...]:
        """Return the methods that a variant is run with; the base is the variant ""."""
        if variant == "" or self.variant_methods is None:
            return self.methods
        return self.variant_methods

    def seed_list(self) -> tuple[int, ...]:
        """Return the seeds, ascending."""
        return read_seeds(self.seeds)


def load_experiments(project: Project | None = None) -> dict[str, Experiment]:
    """Return pearl's experiments and those in the project's folder `experiments/`, by id.

    Raises:
        SettingError: a malformed file, an id used twice, or an unknown environment, method or
            reference.
    """
    places = list(yaml_files(files("pearl.experiments") / "definitions"))
    if project is not None and (own := project.root / "experiments").is_dir():
        places += [place for place in yaml_files(own) if place.name != "environments.yaml"]
    environments = load_environments(project)
    experiments: dict[str, Experiment] = {}
    for place in places:
        experiment = validated(Experiment, read_mapping(place), str(place))
        if experiment.id.endswith("/all"):
            raise SettingError(
                f"{place}: {experiment.id} stands for all experiments of its paper; rename it."
            )
        if experiment.id in experiments:
            raise SettingError(f"{place}: experiment {experiment.id!r} exists already; rename it.")
        _check_names(experiment, environments, f"({place})")
        experiments[experiment.id] = experiment
    return dict(sorted(experiments.items()))


def load_experiment(experiment_id: str, project: Project | None = None) -> Experiment:
    """Return one experiment; SettingError with the nearest id where there is none."""
    experiments = load_experiments(project)
    return experiments[one_of(experiment_id, experiments, "experiment")]


def _check_names(experiment: Experiment, environments: dict[str, Environment], where: str) -> None:
    kind = one_of(experiment.environment, environments, f"environment {where}")
    known = environments[kind].method_models()
    for change in experiment.profiles.values():
        for name in change.variants or ():
            one_of(name, experiment.variants, f"variant {where}")
    for profile in (None, *experiment.profiles):
        made = experiment if profile is None else experiment.under(profile)
        methods = made.methods
        for name in made.variant_methods or ():
            one_of(name, methods, f"method for `variant_methods` among the methods {where}")
        twice = {name for name in methods if methods.count(name) > 1}
        if twice:
            raise SettingError(f"Methods named twice {where}: {', '.join(sorted(twice))}.")
        for name in methods:
            one_of(name, known, f"method of {kind} {where}")
        one_of(experiment.reference, methods, f"method for `reference` among the methods {where}")


def yaml_files(folder: Traversable) -> Iterator[Traversable]:
    """Yield the YAML files of a folder and of its folders, by name."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from yaml_files(entry)
        elif entry.name.endswith(".yaml"):
            yield entry
