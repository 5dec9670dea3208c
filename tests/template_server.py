"""A server on a real socket that renders with a chat template, as vLLM does: for what no recording can hold.

One token id per character.  What the template refuses is answered with 400 and its words.
"""

import json
import time
from typing import Any

from analysis.core.normalise import normalise_message, normalise_tool
from analysis.render.errors import RenderError
from analysis.render.jinja import ChatTemplate
from tests.replay_server import NOT_FOUND, ReplayServer, Reply

RENDER = "/v1/chat/completions/render"
MODEL = "sample/agent-8k"


class TemplateServer(ReplayServer):
    """Serves one model; ``refuses_all`` answers every render with 400, ``tokenizes`` offers only /tokenize."""

    def __init__(self, source: str, *, refuses_all: bool = False, tokenizes: bool = False) -> None:
        super().__init__()
        self._template = ChatTemplate(source)
        self._refuses_all = refuses_all
        self._route = "/tokenize" if tokenizes else RENDER

    def answer(self, method: str, path: str, raw: bytes) -> Reply:
        """Return what a vLLM server with this template would answer."""
        body = json.loads(raw) if raw else {}
        if path == "/v1/models":
            return _json({"object": "list", "data": [{"id": MODEL, "object": "model", "owned_by": "vllm"}]})
        if path == "/version":
            return _json({"version": "0.32.0"})
        if path == "/detokenize":
            return _json({"prompt": "".join(map(chr, body["tokens"]))})
        return self._rendered(body) if path == self._route else NOT_FOUND

    def _rendered(self, body: dict[str, Any]) -> Reply:
        calls = [call for message in body["messages"] for call in message.get("tool_calls", ())]
        if self._refuses_all or not all(isinstance(call["function"]["arguments"], str) for call in calls):
            return _refused("arguments must be a string")
        variables = {
            **body.get("chat_template_kwargs", {}),
            "messages": [normalise_message(message) for message in body["messages"]],
            "tools": [normalise_tool(tool) for tool in body.get("tools", ())] or None,
            "add_generation_prompt": body.get("add_generation_prompt", True),
        }
        try:
            text = self._template.render(variables, time.time())
        except RenderError as error:
            return _refused(str(error))
        ids = [ord(character) for character in text]
        return _json({"tokens": ids, "count": len(ids)} if self._route == "/tokenize" else {"token_ids": ids})


def _json(value: dict[str, Any]) -> Reply:
    return Reply(200, json.dumps(value).encode())


def _refused(message: str) -> Reply:
    error = {"message": message, "type": "BadRequestError", "param": None, "code": 400}
    return Reply(400, json.dumps({"error": error}).encode())
