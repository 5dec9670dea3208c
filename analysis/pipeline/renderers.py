"""Which renderer a served model gets: one that was named for all, a live server, what was chosen, or what is known."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from analysis.live.renderer import LiveRenderer
from analysis.live.vllm import VllmServer
from analysis.model.renderer import Renderer, RendererChoice
from analysis.model.settings import Normalisation
from analysis.render.template import TemplateRenderer


def no_key(address: str) -> None:
    """No key for any server."""


@dataclass(slots=True)
class Renderers:
    """Renderers by served model name, loaded when they are first asked for.

    ``model`` (a folder or hub id) or ``server`` stands for every model; ``chosen`` are those that a person chose by
    model, before ``known``, which maps model names to folders.  ``key_for`` gives the API key for a chosen endpoint,
    and raises EndpointError where that must not be asked: whoever made the database chose it.
    """

    model: str | None = None
    server: VllmServer | None = None
    normalise: Normalisation = "vllm"
    known: Mapping[str, Path] = field(default_factory=dict)
    chosen: Mapping[str, RendererChoice] = field(default_factory=dict)
    key_for: Callable[[str], str | None] = no_key
    _loaded: dict[str, Renderer] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """What an import is remembered by: another renderer is another analysis."""
        return f"endpoint {self.server.url}" if self.server else self.model or "known models"

    @property
    def stamp(self) -> str:
        """What changes when the files of a model are changed: their sizes and times."""
        named = [*map(str, self.known.values()), *(choice.value for choice in self.chosen.values())]
        folders = [Path(name).expanduser() for name in ([self.model] if self.model else sorted({*named}))]
        found = (file for folder in folders if folder.is_dir() for file in sorted(folder.iterdir()) if file.is_file())
        return repr([(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in found])

    @property
    def choices(self) -> dict[str, str]:
        """What was chosen by model, as text: another choice is another analysis, too.  Empty where one is for all."""
        if self.server is not None or self.model is not None:
            return {}
        return {model: _name(choice) for model, choice in sorted(self.chosen.items())}

    def has(self, model: str) -> bool:
        """Whether there is a renderer for this model, without loading it."""
        return self.server is not None or self.model is not None or model in self.chosen or model in self.known

    def renderer_for(self, model: str) -> Renderer | None:
        """The renderer for a served model; None where there is none.

        Raises RenderError where it cannot be loaded, EndpointError where a chosen endpoint does not answer.
        """
        if not self.has(model):
            return None
        if self.server is not None or self.model is not None:
            name = self.label
        else:
            name = _name(self.chosen[model]) if model in self.chosen else f"folder {self.known[model]}"
        if name not in self._loaded:
            self._loaded[name] = self._load(model)
        return self._loaded[name]

    def _load(self, model: str) -> Renderer:
        if self.server is not None:
            return LiveRenderer(self.server)
        if self.model is not None:
            return TemplateRenderer.load(self.model, self.normalise)
        choice = self.chosen.get(model)
        if choice is None:
            return TemplateRenderer.load(str(self.known[model]), self.normalise)
        if choice.kind != "endpoint":
            return TemplateRenderer.load(choice.value, self.normalise)
        server = VllmServer(choice.value, api_key=self.key_for(choice.value))
        server.describe()  # better once for the model than at every turn: is anybody there?
        return LiveRenderer(server)


def _name(choice: RendererChoice) -> str:
    return f"{choice.kind} {choice.value}"
