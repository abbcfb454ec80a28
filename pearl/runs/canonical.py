"""One text for one value: canonical JSON, and its SHA-256."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def canonical(value: Any) -> str:
    """Return JSON with sorted keys and no spaces; ValueError on NaN or infinity."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def digest(value: Any) -> str:
    """Return the SHA-256 of a value's canonical JSON as 64 hex digits."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()
