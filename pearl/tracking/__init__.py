"""MLflow: one code path that writes (`write`), one that reads (`read`); nothing ambient.

Importing this package doesn't import MLflow.
"""

import os

# Read by MLflow on import. A connection that isn't kept sees at once that the store was replaced.
os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
os.environ.setdefault("MLFLOW_LOGGING_LEVEL", "WARNING")
os.environ.setdefault("MLFLOW_SQLALCHEMYSTORE_POOLCLASS", "NullPool")

from pearl.tracking.rebuild import Synced, sync
from pearl.tracking.write import record

__all__ = ["Synced", "record", "sync"]
