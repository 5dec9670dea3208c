"""Which renderer a served model gets: one that was named for all, a live server, or the files that are known."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from analysis.live.renderer import LiveRenderer
from analysis.live.vllm import VllmServer
from analysis.model.renderer import Renderer
from analysis.model.settings import Normalisation
from analysis.render.template import TemplateRenderer


@dataclass(slots=True)
class Renderers:
    """Renderers by served model name, loaded when they are first asked for.

    ``model`` (a folder or hub id) or ``server`` stands for every model; ``known`` maps model names to folders.
    """

    model: str | None = None
    server: VllmServer | None = None
    normalise: Normalisation = "vllm"
    known: Mapping[str, Path] = field(default_factory=dict)
    _loaded: dict[str, Renderer] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """What an import is remembered by: another renderer is another analysis."""
        return f"endpoint {self.server.url}" if self.server else self.model or "known models"

    @property
    def stamp(self) -> str:
        """What changes when the files of a model are changed: their sizes and times."""
        folders = [Path(self.model).expanduser()] if self.model else sorted(set(self.known.values()))
        found = (file for folder in folders if folder.is_dir() for file in sorted(folder.iterdir()) if file.is_file())
        return repr([(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in found])

    def has(self, model: str) -> bool:
        """Whether there is a renderer for this model, without loading it."""
        return self.server is not None or self.model is not None or model in self.known

    def renderer_for(self, model: str) -> Renderer | None:
        """The renderer for a served model; None where there is none.  Raises RenderError where it cannot be loaded."""
        if not self.has(model):
            return None
        name = "endpoint" if self.server else self.model or str(self.known[model])
        if name not in self._loaded:
            self._loaded[name] = (
                LiveRenderer(self.server) if self.server else TemplateRenderer.load(name, self.normalise)
            )
        return self._loaded[name]
