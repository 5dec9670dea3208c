"""The bodies that are sent to a server for one request: what reaches the prompt, and nothing else.

Messages go out as they were logged.  Sampling parameters and the cache salt are never sent.
"""

import json
from dataclasses import replace

from analysis.model.session import Json, JsonObject, Request

Body = dict[str, Json]


def chat(request: Request, model: str) -> Body:
    """Body of ``/v1/chat/completions/render``; what equals the server's default is left out."""
    body: Body = {"model": model} if model else {}
    body["messages"] = list(request.messages)
    if request.tools:
        body["tools"] = list(request.tools)
    if request.template_kwargs:
        body["chat_template_kwargs"] = dict(request.template_kwargs)
    if request.chat_template is not None:
        body["chat_template"] = request.chat_template
    if not request.add_generation_prompt:
        body["add_generation_prompt"] = False
    if request.continue_final_message:
        body["continue_final_message"] = True
    return _with_special_tokens(body, request)


def chat_tokenize(request: Request, model: str) -> Body:
    """Body of ``/tokenize`` for a chat: it loses ``reasoning_content``, so the field goes by its other name."""
    return {**chat(request, model), "messages": [_renamed(message) for message in request.messages]}


def chat_generate(request: Request, model: str) -> Body:
    """Body of ``/v1/chat/completions`` that generates one token only to learn the prompt's ids."""
    return {**chat(request, model), "max_tokens": 1, "return_token_ids": True}


def completion(request: Request, model: str) -> Body:
    """Body of ``/v1/completions/render``; one token of output, so that a prompt of full length is not refused."""
    return {**completion_tokenize(request, model), "max_tokens": 1}


def completion_tokenize(request: Request, model: str) -> Body:
    """Body of ``/tokenize`` for the text of a completion."""
    body: Body = {"model": model} if model else {}
    body["prompt"] = request.prompt if isinstance(request.prompt, str) else ""
    return _with_special_tokens(body, request)


def with_reply(request: Request, reply: JsonObject) -> Request:
    """Return the conversation with the reply appended and no generation prompt behind it.

    Raises ValueError for a completion whose prompt is token ids: there is no text to append to.
    """
    if request.kind == "chat":
        messages = (*request.messages, replayed(reply))
        return replace(request, messages=messages, add_generation_prompt=False, continue_final_message=False)
    if not isinstance(request.prompt, str):
        raise ValueError("a completion prompt of token ids has no text that a reply could follow: log the output's ids")
    text = reply.get("content")
    return replace(request, prompt=request.prompt + (text if isinstance(text, str) else ""))


def replayed(reply: JsonObject) -> Body:
    """Return a reply as a client would send it back: without nulls, indices and what the API refuses.

    A reply ``{"content": None, "reasoning_content": "r", "refusal": None, "tool_calls": []}`` becomes
    ``{"role": "assistant", "content": "", "reasoning": "r"}``.
    """
    role, content, calls = reply.get("role"), reply.get("content"), reply.get("tool_calls")
    message: Body = {
        "role": role if isinstance(role, str) else "assistant",
        "content": "" if content is None else content,
    }
    reasoning = reply.get("reasoning")
    if reasoning is None:
        reasoning = reply.get("reasoning_content")
    if reasoning is not None:
        message["reasoning"] = reasoning
    if isinstance(calls, list | tuple) and calls:
        message["tool_calls"] = [_call(call) for call in calls]
    return message


def _call(call: Json) -> Json:
    if not isinstance(call, dict) or not isinstance(function := call.get("function"), dict):
        return call
    arguments = function.get("arguments")
    if arguments is not None and not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False)  # the API takes a string and answers a dict with 400
    sent: Body = {"name": function.get("name"), "arguments": "{}" if arguments is None else arguments}
    return {"id": call.get("id") or "call", "type": "function", "function": sent}


def _renamed(message: JsonObject) -> Body:
    renamed = dict(message)
    reasoning = renamed.pop("reasoning_content", None)
    if reasoning is not None and renamed.get("reasoning") is None:
        renamed["reasoning"] = reasoning
    return renamed


def _with_special_tokens(body: Body, request: Request) -> Body:
    if request.add_special_tokens is not None:
        body["add_special_tokens"] = request.add_special_tokens
    return body
