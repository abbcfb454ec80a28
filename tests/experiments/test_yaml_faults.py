"""Every file of settings that people write refuses what it can't mean, and says where."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pearl.errors import SettingError
from pearl.experiments import load_environments, load_experiments, load_params
from pearl.memory import method as memory_method
from pearl.memory.cache_method import CacheMethod
from pearl.project import Project
from pearl.yaml_files import read_mapping

FAULTS = {
    "empty": (b"", "empty"),
    "comments alone": (b"# nothing\n", "empty"),
    "a list": (b"- 1\n", "a list, not named settings"),
    "a word": (b"word\n", "a str, not named settings"),
    "brackets": (b"\n{[\n", "line 3: not YAML"),
    "a tab": (b"a:\n\t- b\n", "line 2: not YAML"),
    "two documents": (b"a: 1\n---\nb: 2\n", "line 2: not YAML"),
    "UTF-16": ("a: 1\n".encode("utf-16"), "not UTF-8 text"),
    "binary": (bytes(range(256)), "not UTF-8 text"),
    "a control character": (b"a: 1\nb: \x01\n", "line 2: not YAML"),
    "a name twice": (b"a: 1\nb: 2\na: 3\n", "line 3: not YAML: the name 'a' stands twice"),
    "a name twice below": (b"b:\n  c: 1\n  c: 1\n", "first in line 2"),
    "a number as name": (b"1: x\n", "the name 1 is no text"),
    "a list as name": (b"? [a]\n: 1\n", "not YAML"),
    "code": (b"a: !!python/object:os.system {}\n", "line 1: not YAML"),
    "a wrong tag": (b"a: !!bool maybe\n", "not YAML"),
    "no such day": (b"a: 2026-02-31\n", "not YAML"),
    "endless nesting": (b"[" * 5000, "not YAML"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_names_the_file_and_what_is_wrong(tmp_path: Path, fault: str) -> None:
    content, said = FAULTS[fault]
    file = tmp_path / "settings.yaml"
    file.write_bytes(content)
    with pytest.raises(SettingError) as caught:
        read_mapping(file)
    assert str(file) in caught.value.problem
    assert said in caught.value.problem
    assert caught.value.remedy


def test_what_yaml_allows_is_read(tmp_path: Path) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text(
        "\ufeffbase: &base {a: 1, b: 2}\ndeeper: {one: {<<: *base, a: 3}}\n"
        "other: {<<: *base, b: 4}\nword: Größe\n",
        encoding="utf-8",
    )
    assert read_mapping(file) == {
        "base": {"a": 1, "b": 2},
        "deeper": {"one": {"a": 3, "b": 2}},
        "other": {"a": 1, "b": 4},
        "word": "Größe",
    }


@pytest.fixture
def methods_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], object]:
    """Read the methods from a file of methods with this content."""

    def load(content: bytes) -> object:
        (tmp_path / "methods").mkdir()
        (tmp_path / "methods/kv_cache.yaml").write_bytes(content)
        monkeypatch.setattr(memory_method, "files", lambda package: tmp_path)
        return memory_method.read_methods("kv_cache", CacheMethod)

    return load


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", ["kv_cache.yaml", "empty"]),
        (b"- a\n", ["kv_cache.yaml", "not named settings"]),
        (b"{[", ["kv_cache.yaml", "not YAML"]),
        (b"\xff\xfe", ["kv_cache.yaml", "UTF-8"]),
        (b"m: {planner: myopick, switching: every_round}", ["kv_cache.yaml, m", "'myopic'"]),
        (b"m: {planer: myopic, switching: every_round}", ["unknown name 'planer'", "'planner'"]),
        (
            b"m: {planner: myopic, switching: every_round, directions: 0}",
            ["directions = 0", "greater than or equal to 1"],
        ),
        (b"m: {planner: myopic, switching: never}", ["kv_cache.yaml, m: planner myopic goes with"]),
        (b"m: 3", ["kv_cache.yaml, m", "expected named settings"]),
    ],
)
def test_methods(methods_of: Callable[[bytes], object], content: bytes, words: list[str]) -> None:
    with pytest.raises(SettingError) as caught:
        methods_of(content)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"- 1\n", b"{[", b"\xff\xfe\x00", b"id: a\nid: b\n"])
@pytest.mark.parametrize(
    ("file", "load"),
    [
        ("experiments/toy/trial.yaml", load_experiments),
        ("experiments/environments.yaml", load_environments),
        ("params.yaml", load_params),
    ],
)
def test_every_reader_refuses_it(
    project: Project, file: str, load: Callable[[Project], object], content: bytes
) -> None:
    (project.root / file).write_bytes(content)
    with pytest.raises(SettingError) as caught:
        load(project)
    assert file in caught.value.problem


def test_a_profile_set_twice_is_refused(project: Project) -> None:
    project.params_file.write_text("profile: smoke\n# further down\nprofile: paper\n")
    with pytest.raises(SettingError, match=r"line 3.*'profile' stands twice, first in line 1"):
        load_params(project)
