"""RSM-LinUCB against Myopic LinUCB on a prefix cache, through the Python API: seconds.

Run it in a clone of pearl: `python examples/kv_cache.py`.
"""

from pearl.datasets.prepared import prepare
from pearl.environments.kv_settings import KVCacheSettings
from pearl.memory.cache_method import load_cache_methods
from pearl.project import Project
from pearl.simulation.kv_cache import load, play
from pearl.simulation.kv_game import Game

ROUNDS = 2_000

data = prepare(Project.find(), "mooncake", "sample")
print(data.provenance.label)

instance, optimum = load(KVCacheSettings(memory=30), data.folder)
game = Game.of(instance, optimum.tokens, seed=0, horizon=ROUNDS)
for name in ("rsm_linucb", "rsm_linucb_estimate", "myopic_linucb"):
    method = load_cache_methods()[name]
    trajectory = play(game, method, seed=0)
    print(f"{method.label:35} regret after {ROUNDS:,} rounds: {trajectory.regret[-1]:.3f}")
