"""How a session was measured, in words."""

from dataclasses import replace

from analysis.model.settings import Settings
from analysis.report.method import measured, rounded, settings_said, unreported
from tests.sample_store import record_of


def test_settings_that_matter_are_said() -> None:
    said = dict(settings_said(Settings(16, "given")))
    assert said == {
        "Block size": "16 tokens (given)",
        "Block pool": "unlimited: evictions are not predicted",
        "Prefix caching": "not said by the server",
        "Requests read as": "vLLM normalises them",
        "Logs": "each of a server of its own",
    }


def test_settings_of_a_hybrid_are_said_in_words_of_ours() -> None:
    odd = Settings(
        32, "server", "none", True, 400, 128, spec_decode=True, dcp=2, prefix_caching=False, mamba_cache_mode="align"
    )
    said = dict(settings_said(odd))
    assert (said["Block pool"], said["Sliding window"], said["Prefix caching"]) == ("400 blocks", "128 tokens", "off")
    assert said["State of recurrent layers"] == "align" and said["Decode context parallel size"] == "2"
    assert "State of recurrent layers" not in dict(settings_said(replace(odd, mamba_cache_mode="zorquen")))


def test_how_tokens_are_known_and_what_was_not_reported() -> None:
    assert measured(record_of("03")) == ("Tokens of 8 turns: token ids from the log.",)
    assert unreported(record_of("03")) == ()
    (line,) = unreported(record_of("12"))
    assert line.startswith("Cached tokens of 6 turns: not reported: start the server")
    assert "grouped by their messages" in measured(replace(record_of("03"), inferred=True))[1]


def test_rounding_is_said_once_for_all_turns() -> None:
    assert rounded([record_of("02"), record_of("03")]).startswith(
        "In 23 turns up to 15 tokens at the end of the equal part lie in a block that is not full"
    )
    assert rounded([]) == ""
