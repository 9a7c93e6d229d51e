"""Rules of citations, confidence and responses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from rag.domain.answer import (
    MAX_QUOTE_CHARS,
    AgentResponse,
    AnswerSource,
    Citation,
    Confidence,
    ResponseStatus,
    shorten,
)
from tests.builders import (
    make_chunk,
    make_citation,
    make_failure,
    make_greeting,
    make_refusal,
    make_response,
)

# --- citations ---


def test_citation_quote_is_at_most_200_characters() -> None:
    assert MAX_QUOTE_CHARS == 200
    assert len(make_citation(quote="x" * 200).quote) == 200
    with pytest.raises(ValidationError, match="200"):
        make_citation(quote="x" * 201)


def test_citation_title_must_not_be_empty() -> None:
    with pytest.raises(ValidationError, match="must not be empty"):
        make_citation(title=" ")


@pytest.mark.parametrize("url", ["", "intro.md", "ftp://a/b", "javascript:alert(1)"])
def test_citation_url_must_be_valid(url: str) -> None:
    with pytest.raises(ValidationError, match="http"):
        make_citation(url=url)


@pytest.mark.parametrize("score", [-0.01, 1.01])
def test_citation_score_is_between_0_and_1(score: float) -> None:
    with pytest.raises(ValidationError):
        make_citation(score=score)


def test_citation_index_starts_at_1() -> None:
    with pytest.raises(ValidationError):
        Citation.to(0, make_chunk(), 0.8, "")


@pytest.mark.parametrize("heading", ["", None])
def test_citation_heading_may_be_empty_or_none(heading: str | None) -> None:
    assert make_citation(heading=heading).heading == ""


def test_citation_needs_only_index_title_url_and_chunk() -> None:
    citation = Citation(index=1, title="ROS 2", url="https://a.example/b", chunk_id="c")
    assert (citation.score, citation.quote, citation.heading) == (0.0, "", "")


def test_citation_links_as_title_and_heading() -> None:
    assert make_citation(title="ROS 2 Setup", heading="", url="https://a.example/b").as_link() == (
        "[ROS 2 Setup](https://a.example/b)"
    )
    with_heading = make_citation(title="ROS 2 Setup", heading="Install", url="https://a.example/b")
    assert with_heading.as_link() == "[ROS 2 Setup - Install](https://a.example/b)"


def test_citation_prints_as_the_source_form() -> None:
    citation = make_citation(title="ROS 2 Setup", url="https://a.example/b")
    assert str(citation) == "[Source: ROS 2 Setup](https://a.example/b)"


def test_citation_stays_a_clickable_link_whatever_the_title() -> None:
    citation = make_citation(title="Arrays a[0]] \\", heading="", url="https://a.example/x_(y))")
    assert citation.as_link() == r"[Arrays a\[0\]\] \\](https://a.example/x_%28y%29%29)"


def test_citation_links_to_another_address_if_one_is_given() -> None:
    citation = make_citation(title="ROS 2 Setup", heading="Install")
    assert citation.as_link("/reader?page=a b&lt;(1)`|\\") == (
        "[ROS 2 Setup - Install](/reader?page=a%20b&amp;lt;%281%29%60%7C%5C)"
    )


def test_a_title_is_only_text_in_a_link() -> None:
    citation = make_citation(
        title="<b>`a` | *b*\n__c__ &lt; ~d~ $e$", heading="", url="https://a.b"
    )
    assert citation.as_link() == (r"[\<b>\`a\` \| \*b\* \_\_c\_\_ \&lt; \~d\~ \$e\$](https://a.b)")


def test_citation_takes_its_place_from_the_chunk() -> None:
    chunk = make_chunk(4, page_number=42)
    citation = Citation.to(2, chunk, 0.8, "ROS 2 is a framework")
    assert (citation.index, citation.chunk_id, citation.score) == (2, "chunk-4", 0.8)
    assert (citation.title, citation.heading) == ("ROS 2 Basics", "What is ROS 2?")
    assert (citation.url, citation.module) == (chunk.url, chunk.module)
    assert (citation.position, citation.page_number) == (3, 42)


def test_citation_does_not_repeat_the_title_as_heading() -> None:
    assert Citation.to(1, make_chunk(heading_path=()), 0.8, "").heading == ""


@given(text=st.text(max_size=600), limit=st.integers(1, 250))
def test_a_shortened_quote_is_verbatim_and_within_its_limit(text: str, limit: int) -> None:
    quote = shorten(text, limit)
    assert quote in text
    assert len(quote) <= limit
    assert bool(quote) == bool(text.strip())


def test_a_shortened_quote_ends_at_a_word() -> None:
    assert shorten("robots walk carefully", 15) == "robots walk"
    assert shorten("robots walk", 15) == "robots walk"


# --- confidence ---


def test_confidence_is_weighted_35_25_25_15() -> None:
    assert Confidence(retrieval_quality=1).overall == 0.35
    assert Confidence(coverage=1).overall == 0.25
    assert Confidence(entailment=1).overall == 0.25
    assert Confidence(lexical_overlap=1).overall == 0.15


def test_confidence_of_the_seeds_examples() -> None:
    high = make_response().confidence
    assert (high.overall, high.level) == (0.871, "high")
    low = make_refusal().confidence
    assert (round(low.overall, 2), low.level) == (0.16, "low")


@pytest.mark.parametrize(
    ("value", "level"),
    [(1.0, "high"), (0.8, "high"), (0.79, "medium"), (0.6, "medium"), (0.59, "low"), (0.0, "low")],
)
def test_confidence_level_is_high_from_80_and_medium_from_60(value: float, level: str) -> None:
    confidence = Confidence(
        retrieval_quality=value, coverage=value, entailment=value, lexical_overlap=value
    )
    assert confidence.level == level


@pytest.mark.parametrize(
    "factor", ["retrieval_quality", "coverage", "entailment", "lexical_overlap"]
)
@pytest.mark.parametrize("value", [-0.1, 1.1])
def test_confidence_factors_are_between_0_and_1(factor: str, value: float) -> None:
    with pytest.raises(ValidationError):
        Confidence.model_validate({factor: value})


fraction = st.floats(0, 1)


@given(a=fraction, b=fraction, c=fraction, d=fraction)
def test_confidence_overall_is_between_0_and_1(a: float, b: float, c: float, d: float) -> None:
    confidence = Confidence(retrieval_quality=a, coverage=b, entailment=c, lexical_overlap=d)
    assert 0.0 <= confidence.overall <= 1.0


# --- responses ---


def test_status_is_success_insufficient_context_or_error() -> None:
    assert [s.value for s in ResponseStatus] == ["success", "insufficient_context", "error"]


def test_grounded_response_needs_citations() -> None:
    with pytest.raises(ValidationError, match="needs citations"):
        make_response(citations=())


def test_successful_response_is_grounded() -> None:
    with pytest.raises(ValidationError, match="grounded exactly when it succeeded"):
        make_response(grounded=False)


def test_refusal_is_not_grounded() -> None:
    with pytest.raises(ValidationError, match="grounded exactly when it succeeded"):
        make_refusal(grounded=True)


def test_ungrounded_response_says_i_dont_have_information() -> None:
    with pytest.raises(ValidationError, match="I don't have information"):
        make_refusal(answer="No idea.")


def test_refusal_has_no_citations() -> None:
    with pytest.raises(ValidationError, match="no citations"):
        make_refusal(
            answer="I don't have information about that [1].", citations=(make_citation(),)
        )


def test_refusal_names_the_nearest_sections_without_citing_them() -> None:
    refusal = make_refusal()
    assert refusal.nearest
    assert not refusal.has_relevant_context


def test_refusal_used_no_tokens_because_nothing_was_generated() -> None:
    assert make_refusal(tokens_used=0).tokens_used == 0


@pytest.mark.parametrize("answer", ["", "  \n"])
def test_answer_must_not_be_empty(answer: str) -> None:
    with pytest.raises(ValidationError, match="must not be empty"):
        make_response(answer=answer)
    with pytest.raises(ValidationError, match="must not be empty"):
        make_refusal(answer=answer)
    with pytest.raises(ValidationError, match="must not be empty"):
        make_greeting(answer=answer)


def test_every_citation_index_appears_in_the_answer() -> None:
    two = (make_citation(1), make_citation(2))
    assert make_response(answer="Both [1][2].", citations=two).citations == two
    with pytest.raises(ValidationError, match=r"citation \[2\] does not appear"):
        make_response(answer="One [1], and 2, and [12].", citations=two)


def test_retrieval_count_is_not_negative() -> None:
    with pytest.raises(ValidationError):
        make_response(retrieval_count=-1)


@pytest.mark.parametrize("tokens", [0, -1])
def test_a_generated_answer_used_more_than_0_tokens(tokens: int) -> None:
    with pytest.raises(ValidationError):
        make_response(tokens_used=tokens)


def test_error_response_needs_its_error() -> None:
    with pytest.raises(ValidationError, match="needs its error"):
        make_failure(error=None)


def test_error_response_is_not_grounded_and_cites_nothing() -> None:
    with pytest.raises(ValidationError, match="cites nothing"):
        make_failure(grounded=True)
    with pytest.raises(ValidationError, match="cites nothing"):
        make_failure(answer="Half an answer [1]", citations=(make_citation(),))


def test_error_response_needs_no_answer() -> None:
    assert make_failure().answer == ""


def test_only_an_error_response_carries_an_error() -> None:
    with pytest.raises(ValidationError, match="only an error response"):
        make_response(error=make_failure().error)
    with pytest.raises(ValidationError, match="only an error response"):
        make_refusal(error=make_failure().error)


def test_response_needs_the_id_of_its_question() -> None:
    with pytest.raises(ValidationError, match="must not be empty"):
        make_response(question_id="")


def test_response_names_the_model_used() -> None:
    with pytest.raises(ValidationError, match="must not be empty"):
        make_response(model_used="")


@pytest.mark.parametrize("source", [AnswerSource.GREETING, AnswerSource.CONVERSATION])
def test_only_an_answer_from_the_book_is_grounded_and_cited(source: AnswerSource) -> None:
    assert not make_greeting(source=source).grounded
    with pytest.raises(ValidationError, match="only an answer from the book"):
        make_response(source=source)
    with pytest.raises(ValidationError, match="only an answer from the book"):
        make_greeting(source=source, grounded=True)


def test_a_greeting_is_not_a_refusal() -> None:
    greeting = make_greeting()
    assert greeting.status is ResponseStatus.SUCCESS
    assert "I don't have information" not in greeting.answer


@pytest.mark.parametrize(
    "response", [make_response(), make_refusal(), make_failure(), make_greeting()]
)
def test_every_kind_of_response_survives_json(response: AgentResponse) -> None:
    assert AgentResponse.model_validate_json(response.model_dump_json()) == response
