"""Which renderer a served model gets, and when it is loaded."""

from pathlib import Path

import pytest

from analysis.live.errors import EndpointError
from analysis.live.renderer import LiveRenderer
from analysis.live.vllm import VllmServer
from analysis.model.renderer import RendererChoice
from analysis.pipeline.renderers import Renderers
from analysis.render.errors import RenderError
from tests.builders import SAMPLE_MODEL, request, user
from tests.template_server import TemplateServer

NOWHERE = Path(__file__).parent / "no-such-model"


def test_known_models_have_theirs_and_others_none() -> None:
    renderers = Renderers(known={"sample/agent-8k": SAMPLE_MODEL})
    assert renderers.has("sample/agent-8k") and not renderers.has("another")
    assert renderers.renderer_for("another") is None
    assert renderers.renderer_for("sample/agent-8k") is renderers.renderer_for("sample/agent-8k"), "loaded once"


def test_a_named_model_stands_for_every_model() -> None:
    renderers = Renderers(str(SAMPLE_MODEL), known={"another": NOWHERE})
    assert renderers.has("anything") and renderers.has("")
    assert renderers.renderer_for("another") is renderers.renderer_for("")


def test_a_server_goes_before_files_and_is_not_asked_yet() -> None:
    renderers = Renderers(server=VllmServer("127.0.0.1:9"), known={"known": NOWHERE})
    found = renderers.renderer_for("known")
    assert isinstance(found, LiveRenderer) and renderers.renderer_for("another") is found


def test_a_choice_goes_before_what_is_known_and_behind_what_is_for_all() -> None:
    chosen = {"m": RendererChoice("m", "folder", str(SAMPLE_MODEL)), "n": RendererChoice("n", "hub", "no/such/model")}
    renderers = Renderers(known={"m": NOWHERE}, chosen=chosen)
    assert renderers.has("m") and renderers.renderer_for("m") is not None
    with pytest.raises(RenderError, match="no/such/model"):
        renderers.renderer_for("n")
    assert renderers.choices == {"m": f"folder {SAMPLE_MODEL}", "n": "hub no/such/model"}
    for_all = Renderers(str(SAMPLE_MODEL), chosen=chosen)
    assert for_all.renderer_for("n") is for_all.renderer_for("anything") and for_all.choices == {}
    assert Renderers(server=VllmServer("127.0.0.1:9"), chosen=chosen).choices == {}


def test_a_chosen_server_is_asked_with_the_key_that_is_for_it_and_not_at_all_without_leave() -> None:
    def key_for(address: str) -> str:
        if address != server.url:
            raise EndpointError(f"{address} was not named")
        return "sk-secret"

    with TemplateServer("{{ messages }}") as server, TemplateServer("{{ messages }}") as other:
        chosen = {name: RendererChoice(name, "endpoint", one.url) for name, one in (("m", server), ("n", other))}
        renderers = Renderers(chosen=chosen, key_for=key_for)
        assert renderers.renderer_for("m") is not None
        with pytest.raises(EndpointError, match="was not named"):
            renderers.renderer_for("n")
    assert {seen.headers.get("Authorization") for seen in server.seen} == {"Bearer sk-secret"} and not other.seen
    assert "sk-secret" not in repr(renderers)


def test_nothing_is_loaded_before_it_is_asked_for() -> None:
    renderers = Renderers(known={"broken": NOWHERE})
    assert renderers.has("broken")
    with pytest.raises(RenderError, match="no-such-model"):
        renderers.renderer_for("broken")


def test_the_way_to_normalise_reaches_the_renderer() -> None:
    """Without vLLM's normalisation a tool call keeps its arguments as the string that was logged."""
    calls = [{"id": "c", "type": "function", "function": {"name": "look", "arguments": '{"a":1}'}}]
    asked = request(user("hi"), {"role": "assistant", "content": "", "tool_calls": calls})
    as_vllm, as_sent = (Renderers(str(SAMPLE_MODEL), None, way).renderer_for("") for way in ("vllm", "none"))
    assert as_vllm is not None and as_sent is not None
    assert as_vllm.prompt_ids(asked, 0.0).tolist() != as_sent.prompt_ids(asked, 0.0).tolist()


@pytest.mark.parametrize(
    ("renderers", "label"),
    [
        pytest.param(Renderers(), "known models", id="known"),
        pytest.param(Renderers("org/model"), "org/model", id="named"),
        pytest.param(Renderers(server=VllmServer("host:8000/v1")), "endpoint http://host:8000", id="live"),
    ],
)
def test_an_import_is_remembered_by_its_renderer(renderers: Renderers, label: str) -> None:
    assert renderers.label == label


def test_a_changed_file_of_a_model_changes_the_stamp(tmp_path: Path) -> None:
    (tmp_path / "chat_template.jinja").write_text("{{ 1 }}")
    named, known = Renderers(str(tmp_path)), Renderers(known={"m": tmp_path})
    before = named.stamp
    chosen = Renderers(chosen={"m": RendererChoice("m", "model", str(tmp_path))})
    assert before == known.stamp == chosen.stamp == Renderers(str(tmp_path)).stamp != Renderers().stamp
    (tmp_path / "chat_template.jinja").write_text("{{ 12 }}")
    assert named.stamp != before
    assert Renderers("org/model").stamp == Renderers(server=VllmServer("host:8000")).stamp == Renderers().stamp
