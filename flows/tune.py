"""Tune the linear methods of "partial or global": python -m flows.tune [features or methods ...].

Writes pearl/bandits/linear_tuned.yaml, which every run of the benchmark reads its rates from.
"""

from __future__ import annotations

import sys
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

import yaml

from pearl.bandits.linear_method import LinearMethod, Rates, without_lender
from pearl.environments.partial_global_settings import Features
from pearl.files import write_text
from pearl.simulation.partial_global_tuning import borrow, instances, load_tuning, rate_name, tune
from pearl.words import one_of
from pearl.yaml_files import read_mapping

PLACE = Path(str(files("pearl.bandits"))) / "linear_tuned.yaml"
HEAD = (
    "# Made by python -m flows.tune from linear_tuning.yaml; don't edit by hand.\n"
    "# regret: mean regret of the chosen rates on the tuning seeds, by s; least: of the best rates"
    " for\n# each s alone, which nobody knows beforehand. Methods that take another's rates"
    " (rates_of in\n# linear_methods.yaml) stand under found only.\n"
)


def main(chosen: list[str]) -> None:
    """Tune the named methods for the named kinds of features; all by default.

    Methods that take another's rates are only measured, after those were chosen.
    """
    known: dict[str, Features] = {name: name for name in get_args(Features)}
    methods = read_mapping(PLACE.parent / "linear_methods.yaml")
    for name in chosen:
        one_of(name, [*known, *methods], "kind of features or linear method")
    kinds = [known[name] for name in chosen if name in known] or [*known.values()]
    names = [name for name in chosen if name in methods] or [*methods]
    names = sorted(names, key=lambda name: "rates_of" in methods[name])
    tuning = load_tuning()
    for kind in kinds:
        drawn = list(instances(kind, tuning))
        for name in names:
            fields, lender = without_lender(methods[name])
            made = LinearMethod(**fields, rates={})
            if lender is None:
                best = tune(made, kind, tuning, drawn)
            else:
                rates = Rates(**read_mapping(PLACE)["rates"][lender][kind])
                best = borrow(made, rates, kind, drawn)
            print(f"{kind:7} {name:22} {rate_name(made) or '':25} {best}", flush=True)
            _write(kind, name, best)


def _write(kind: str, name: str, best: dict[str, Any]) -> None:
    """Put one method's rates into the file, in the order of the methods."""
    content: dict[str, Any] = read_mapping(PLACE) if PLACE.is_file() else {}
    rates, found = content.get("rates", {}), content.get("found", {})
    if "rates" in best:
        rates.setdefault(name, {})[kind] = best["rates"]
    found.setdefault(name, {})[kind] = {key: best[key] for key in best if key != "rates"}
    order = [*read_mapping(PLACE.parent / "linear_methods.yaml")]
    kept = {
        part: {each: values[each] for each in order if each in values}
        for part, values in (("rates", rates), ("found", found))
    }
    write_text(PLACE, HEAD + yaml.safe_dump(kept, sort_keys=False))


if __name__ == "__main__":
    main(sys.argv[1:])
