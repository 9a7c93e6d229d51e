"""Rules of the token ledger's values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from rag.domain.ledger import LedgerLine, Part, TokenLedger, TokenShares

GIVEN = {
    Part.SYSTEM: 500,
    Part.CONTEXT: 4000,
    Part.HISTORY: 2500,
    Part.QUESTION: 92,
    Part.RESERVE: 1100,
}


def line(part: Part, tokens: int, included: bool = True, reason: str = "") -> LedgerLine:
    return LedgerLine(part=part, label="x", tokens=tokens, included=included, reason=reason)


def test_the_default_shares_sum_to_8192() -> None:
    shares = TokenShares()
    assert (shares.system, shares.context, shares.history) == (500, 4000, 2500)
    assert shares.exchange == 1192
    assert shares.system + shares.context + shares.history + shares.exchange == 8192


@given(window=st.integers(2048, 1_000_000))
def test_shares_sum_to_any_window_and_only_context_and_history_scale(window: int) -> None:
    shares = TokenShares().scaled(window)
    assert shares.system + shares.context + shares.history + shares.exchange == window
    assert (shares.system, shares.exchange) == (500, 1192)
    assert shares.context > 0
    assert shares.history > 0


def test_scaling_to_8192_changes_nothing() -> None:
    assert TokenShares().scaled(8192) == TokenShares()


def test_a_larger_window_gives_more_context_and_history() -> None:
    larger = TokenShares().scaled(32768)
    assert larger.context > 4000
    assert larger.history > 2500


@pytest.mark.parametrize("name", ["system", "context", "history", "exchange"])
def test_every_share_is_positive(name: str) -> None:
    with pytest.raises(ValidationError, match="greater than 0"):
        TokenShares.model_validate({name: 0})


@pytest.mark.parametrize("window", [8191, 8193])
def test_the_ledger_sums_to_the_window_exactly(window: int) -> None:
    assert TokenLedger(window=8192, given=GIVEN).window == 8192
    with pytest.raises(ValidationError, match="sum to the window"):
        TokenLedger(window=window, given=GIVEN)


@pytest.mark.parametrize("part", list(Part))
def test_no_part_uses_more_than_it_was_given(part: Part) -> None:
    full = line(part, GIVEN[part])
    assert TokenLedger(window=8192, given=GIVEN, lines=(full,)).free(part) == 0
    with pytest.raises(ValidationError, match=f"{part} uses more"):
        TokenLedger(window=8192, given=GIVEN, lines=(full, line(part, 1)))


def test_what_was_cut_needs_a_reason() -> None:
    with pytest.raises(ValidationError, match="needs a reason"):
        line(Part.CONTEXT, 9000, included=False)


def test_what_was_cut_is_listed_and_costs_nothing() -> None:
    cut = line(Part.CONTEXT, 9000, included=False, reason="does not fit")
    ledger = TokenLedger(window=8192, given=GIVEN, lines=(line(Part.CONTEXT, 30), cut))
    assert ledger.cut == (cut,)
    assert ledger.used(Part.CONTEXT) == 30
    assert ledger.free(Part.CONTEXT) == 3970


def test_the_prompt_is_everything_but_the_reserve() -> None:
    lines = (line(Part.SYSTEM, 100), line(Part.QUESTION, 9), line(Part.RESERVE, 700))
    ledger = TokenLedger(window=8192, given=GIVEN, lines=lines)
    assert ledger.prompt_tokens == 109
    assert ledger.max_answer_tokens == 1100


def test_tokens_are_not_negative() -> None:
    with pytest.raises(ValidationError):
        line(Part.SYSTEM, -1)


def test_a_ledger_survives_json() -> None:
    ledger = TokenLedger(window=8192, given=GIVEN, lines=(line(Part.SYSTEM, 100),))
    assert TokenLedger.model_validate_json(ledger.model_dump_json()) == ledger
