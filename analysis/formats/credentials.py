"""What a log may hold of keys beside headers and salts: in the address of a server, and in a tool that calls one.

Takes them out where a log is read, so that they go no further.  Knows fields, not values: a key in a prompt is text.
"""

from urllib.parse import urlsplit

from analysis.model.session import JsonObject

SECRET_FIELDS = frozenset({"authorization", "headers", "api_key"})  # of a tool that the server calls itself (MCP)
ADDRESS_FIELDS = ("server_url", "url")


def server_of(address: str) -> str | None:
    """``http://host:port`` of an address, without who asked and what for; None where it names no host."""
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    return f"{parts.scheme}://{host}" + (f":{port}" if port else "") if host else None


def as_replica(name: str | None) -> str | None:
    """The name of whoever served a request: an address without its credentials, other names as they are."""
    return server_of(name) if name is not None and "://" in name else name


def without_credentials(tool: JsonObject) -> JsonObject:
    """A tool without the keys that the server is to use for it; a function, which has none, as it is."""
    if tool.get("type") == "function" or not (SECRET_FIELDS | set(ADDRESS_FIELDS)) & tool.keys():
        return tool
    addresses = {field: server_of(value) for field in ADDRESS_FIELDS if isinstance(value := tool.get(field), str)}
    return {**{field: value for field, value in tool.items() if field not in SECRET_FIELDS}, **addresses}
