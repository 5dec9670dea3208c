"""Sample agent sessions recorded on a real vLLM server, and the small model that renders them."""
