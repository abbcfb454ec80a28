"""What every test shares."""

import os
from pathlib import Path

os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
os.environ.setdefault("DO_NOT_TRACK", "1")
os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
os.environ.pop("PEARL_DATA_MIRROR", None)
os.environ.pop("PREFECT_API_URL", None)

ROOT = Path(__file__).resolve().parents[1]
