"""The networks that an experiment's missing runs start from, as a Prefect flow: a task each."""

from __future__ import annotations

from typing import Any

from prefect import flow, task
from prefect.artifacts import create_table_artifact
from prefect.cache_policies import NO_CACHE

from flows.chunks import artifact_name, make, planned, project_at
from pearl.runs.pretrained import LOSS, NetworkStore, StoredNetwork
from pearl.sweeps.networks import execute_pretraining, missing_networks, write_network_chunks
from pearl.tracking.write import record_networks


@task(task_run_name="network {number} of {count}", cache_policy=NO_CACHE)
def train_network(project_root: str, chunk_file: str, number: int, count: int) -> list[str]:
    """Pretrain the network of one chunk if it is still missing; return its key."""
    return execute_pretraining(project_root, chunk_file)


@flow(name="pretrain", flow_run_name="{experiment}", log_prints=True)
def pretrain(
    experiment: str,
    profile: str | None = None,
    source: str | None = None,
    seeds: str | None = None,
    stage: bool = False,
    project_root: str | None = None,
) -> dict[str, Any]:
    """Make the networks that an experiment's missing runs start from, and track them.

    They are made once a seed and split, and shared by methods and experiments. One that fails is
    tried again by each run that needs it, which is then written down with the cause.

    Args:
        experiment: its id, such as pearl/table05.
        profile: smoke, sample or paper; params.yaml's by default.
        source: hub, mirror or sample; as params.yaml or the profile say by default.
        seeds: such as 0-2 or 0,3,5; the experiment's own by default.
        stage: read params.yaml alone, as the DVC stage does.
        project_root: the project's folder; the one around the working folder by default.
    """
    project = project_at(project_root)
    plan = planned(project, experiment, profile, source, seeds, stage=stage)
    networks = missing_networks(plan)
    print(f"{len(networks)} networks to pretrain")
    made = make(train_network, project, write_network_chunks(plan, networks))
    store = NetworkStore.of(project)
    trained = [store.read(network.key) for network in networks if store.has(network.key)]
    record_networks(project, trained)
    if trained:
        create_table_artifact(
            [_row(network) for network in trained],
            key=f"{artifact_name(experiment)}-networks",
            description=f"Networks pretrained for {plan.experiment.title}",
        )
    return {
        "experiment": experiment,
        "networks": len(networks),
        "made": len(made),
        "failed": len(networks) - len(trained),
    }


def _row(network: StoredNetwork) -> dict[str, Any]:
    loss = network.arrays().get(LOSS)
    return {
        "network": network.key[:12],
        "seed": network.network.spec.seed,
        "last loss": None if loss is None or len(loss) == 0 else round(float(loss[-1]), 4),
        "seconds": network.machine["seconds"],
    }
