"""Experiments as data: what is run for which table or figure of which paper."""

from pearl.experiments.cell import Cell, cells
from pearl.experiments.environment import Environment, load_environment, load_environments
from pearl.experiments.exhibit import Exhibit, load_exhibits
from pearl.experiments.experiment import Experiment, load_experiment, load_experiments
from pearl.experiments.group import is_group, load_group
from pearl.experiments.params import PROFILES, Params, Profile, load_params, profile_of
from pearl.experiments.seeds import read_seeds

__all__ = [
    "PROFILES",
    "Cell",
    "Environment",
    "Exhibit",
    "Experiment",
    "Params",
    "Profile",
    "cells",
    "is_group",
    "load_environment",
    "load_environments",
    "load_exhibits",
    "load_experiment",
    "load_experiments",
    "load_group",
    "load_params",
    "profile_of",
    "read_seeds",
]
