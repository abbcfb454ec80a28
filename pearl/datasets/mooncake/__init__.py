"""The Mooncake conversation trace: one hour of requests with prefix-chained block ids."""

from pearl.datasets.mooncake.jsonl import read_jsonl, write_jsonl
from pearl.datasets.mooncake.table import read_table, write_table
from pearl.datasets.mooncake.trace import MooncakeTrace

__all__ = ["MooncakeTrace", "read_jsonl", "read_table", "write_jsonl", "write_table"]
