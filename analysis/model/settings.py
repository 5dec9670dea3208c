"""What the person or the server decided about the analysis; part of every result."""

from dataclasses import dataclass
from typing import Literal

BlockSizeBasis = Literal["given", "server", "inferred", "assumed"]
Normalisation = Literal["vllm", "none"]

DEFAULT_BLOCK_SIZE = 16  # vLLM's choice on CUDA; CPU and some MLA backends choose otherwise


@dataclass(frozen=True, slots=True)
class Settings:
    """``block_size`` in tokens.  ``normalise`` is what happens to a request before the template sees it."""

    block_size: int = DEFAULT_BLOCK_SIZE
    block_size_basis: BlockSizeBasis = "assumed"
    normalise: Normalisation = "vllm"
    same_server: bool = False
