"""What the person or the server decided about the analysis; part of every result."""

from dataclasses import dataclass
from typing import Literal

BlockSizeBasis = Literal["given", "server", "inferred", "assumed"]
Normalisation = Literal["vllm", "none"]

DEFAULT_RETENTION = 0  # tokens; vLLM's since 0.30
DEFAULT_BLOCK_SIZE = 16  # vLLM's choice on CUDA; CPU and some MLA backends choose otherwise


@dataclass(frozen=True, slots=True)
class Settings:
    """How the server caches and how a log is read.

    ``block_size`` in tokens.  ``normalise`` is what happens to a request before the template sees it.  ``num_blocks``
    is the size of the block pool (None: room for everything).  ``window`` is the sliding window of a hybrid model in
    tokens, ``retention`` its retention interval (None: every window block is kept).  ``spec_decode``: EAGLE or MTP,
    which drop one more block from every hit.  ``dcp`` is the decode context parallel size.  ``prefix_caching`` is
    what the server said, None where it did not; so is ``mamba_cache_mode`` of a hybrid with recurrent state.
    """

    block_size: int = DEFAULT_BLOCK_SIZE
    block_size_basis: BlockSizeBasis = "assumed"
    normalise: Normalisation = "vllm"
    same_server: bool = False
    num_blocks: int | None = None
    window: int | None = None
    retention: int | None = DEFAULT_RETENTION
    spec_decode: bool = False
    dcp: int = 1
    prefix_caching: bool | None = None
    mamba_cache_mode: str | None = None

    @property
    def dropped_blocks(self) -> int:
        """Blocks that drafting drops from every hit."""
        return int(self.spec_decode)

    @property
    def hit_size(self) -> int:
        """Tokens in the unit of a hit: with decode context parallelism a block spans all its ranks."""
        return self.block_size * self.dcp
