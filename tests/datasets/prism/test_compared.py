import pytest
from made_prism import write_made_prism

from pearl.datasets.prism import compared
from pearl.datasets.prism.compared import compare
from pearl.datasets.prism.published import PublishedFact


@pytest.fixture
def facts(monkeypatch):
    found = {
        "conversations": PublishedFact(value=8011, status="exact", small=None, full=0),
        "survey_users": PublishedFact(value=9, status="exact", small=2, full=1),
        "models": PublishedFact(value=6.5, status="approx", small=0.4, full=9),
    }
    monkeypatch.setattr(compared, "published_facts", lambda: found)
    return found


def test_a_small_sample_is_held_to_the_small_tolerances(tmp_path, facts):
    write_made_prism(tmp_path)
    found = {item.name: item for item in compare(tmp_path)}
    assert (found["conversations"].sample, found["conversations"].within) == ("36", None)
    assert found["conversations"].published == "8,011"
    assert (found["survey_users"].tolerance, found["survey_users"].within) == ("± 2", True)
    assert (found["models"].status, found["models"].within) == ("approx", False)


def test_one_with_the_publishers_conversations_is_held_to_the_full_ones(tmp_path, facts):
    write_made_prism(tmp_path)
    facts["conversations"] = PublishedFact(value=36, status="exact", small=None, full=0)
    found = {item.name: item.within for item in compare(tmp_path)}
    assert found == {"conversations": True, "survey_users": False, "models": True}
