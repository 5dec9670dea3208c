"""One live vLLM server as a source of tokens: what it is, how it renders a request, what its token ids stand for."""
