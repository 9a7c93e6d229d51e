"""Rules of the agent's configuration and session."""

from uuid import UUID

import pytest
from pydantic import ValidationError

from rag.domain.agent import PRESETS, TURNS_KEPT, AgentConfig, AgentState
from rag.domain.base import utc_now
from rag.domain.conversation import Message, Role
from rag.domain.errors import IllegalTransition
from rag.domain.ledger import TokenShares
from rag.domain.states import SessionStatus, TurnState
from tests.builders import make_message, make_state, make_system, make_turn

# Their own prompts, which tell the model to cite in other forms than ours.
SEED_002 = """You are an expert tutor for Physical AI & Humanoid Robotics.
Answer using ONLY textbook content. ALWAYS cite sources with [Title](URL)."""
SEED_003 = """Your role is to answer questions based ONLY on the provided context.
2. Always cite your sources using the format: [Source: title](url)"""


def talk(state: AgentState, turns: int) -> list[tuple[Message, Message]]:
    """Let a session remember so many turns."""
    said = []
    for n in range(1, turns + 1):
        asked = make_message(content=f"question {n}")
        answered = make_message(Role.ASSISTANT, f"answer {n}")
        state.remember(make_turn(n), asked, answered)
        said.append((asked, answered))
    return said


# --- configuration ---


@pytest.mark.parametrize("temperature", [-0.1, 1.1])
def test_temperature_is_between_0_and_1(temperature: float) -> None:
    with pytest.raises(ValidationError):
        AgentConfig(temperature=temperature)


@pytest.mark.parametrize("max_tokens", [0, -1])
def test_max_tokens_is_positive(max_tokens: int) -> None:
    with pytest.raises(ValidationError):
        AgentConfig(max_tokens=max_tokens)


def test_max_tokens_is_less_than_the_context_window() -> None:
    assert AgentConfig(max_tokens=8191).max_tokens == 8191
    with pytest.raises(ValidationError, match="less than context_window"):
        AgentConfig(max_tokens=8192)


@pytest.mark.parametrize("top_k", [0, 21])
def test_config_top_k_is_between_1_and_20(top_k: int) -> None:
    with pytest.raises(ValidationError):
        AgentConfig(top_k=top_k)


@pytest.mark.parametrize("threshold", [-0.1, 1.1])
def test_config_threshold_is_between_0_and_1(threshold: float) -> None:
    with pytest.raises(ValidationError):
        AgentConfig(threshold=threshold)


@pytest.mark.parametrize("max_history", [0, 101])
def test_config_max_history_is_1_to_100(max_history: int) -> None:
    with pytest.raises(ValidationError):
        AgentConfig(max_history=max_history)


@pytest.mark.parametrize("model", ["", " ", "two words"])
def test_model_is_an_identifier(model: str) -> None:
    with pytest.raises(ValidationError):
        AgentConfig(model=model)
    assert AgentConfig(model="meta-llama/llama-3.2-3b-instruct:free").model


def test_mode_is_pipeline_or_agentic() -> None:
    assert AgentConfig().mode == "pipeline"
    assert AgentConfig(mode="agentic").mode == "agentic"
    with pytest.raises(ValidationError):
        AgentConfig.model_validate({"mode": "psychic"})


def test_defaults_are_those_of_the_specification() -> None:
    config = AgentConfig()
    assert (config.temperature, config.max_tokens, config.context_window) == (0.7, 2048, 8192)
    assert (config.top_k, config.max_history) == (5, 20)
    assert config.shares == TokenShares()


def test_the_presets_are_broad_balanced_and_strict() -> None:
    assert PRESETS == {"Broad": 0.3, "Balanced": 0.5, "Strict": 0.7}


def test_system_prompt_must_show_the_citation_format() -> None:
    with pytest.raises(ValidationError, match="citation format"):
        AgentConfig(system_prompt="Answer from the passages alone.")


def test_system_prompt_must_say_to_stay_with_the_passages() -> None:
    with pytest.raises(ValidationError, match="passages only"):
        AgentConfig(system_prompt="Cite as in [1].")


@pytest.mark.parametrize("prompt", [SEED_002, SEED_003, "Use the passages only; cite as [n]."])
def test_system_prompt_may_show_any_of_the_citation_forms(prompt: str) -> None:
    assert AgentConfig(system_prompt=prompt).system_prompt == prompt


def test_shares_must_leave_room_in_the_window() -> None:
    with pytest.raises(ValidationError, match="leave the window room"):
        AgentConfig(shares=TokenShares(system=7000))
    assert AgentConfig(shares=TokenShares(system=6000)).shares.system == 6000


def test_fingerprints_agree_exactly_when_configurations_do() -> None:
    assert AgentConfig().fingerprint == AgentConfig().fingerprint
    assert AgentConfig().fingerprint != AgentConfig(top_k=4).fingerprint
    assert len(AgentConfig().fingerprint) == 12


# --- the session ---


def test_session_id_is_a_unique_uuid() -> None:
    assert UUID(make_state().session_id).version == 4
    assert make_state().session_id != make_state().session_id
    with pytest.raises(ValidationError, match="must be a UUID"):
        make_state().session_id = "session-1"


def test_a_session_starts_idle_with_its_system_message() -> None:
    state = make_state(max_history=7)
    assert (state.status, state.session_status) == (TurnState.IDLE, SessionStatus.CREATED)
    assert [m.role for m in state.conversation.messages] == [Role.SYSTEM]
    assert state.conversation.max_history == 7
    assert (state.total_tokens_used, state.last_retrieval, state.turns) == (0, None, ())
    assert state.session_start <= utc_now()


def test_a_session_may_be_interactive_or_a_single_question() -> None:
    assert make_state().is_interactive
    single = AgentState.started(AgentConfig(), make_system(), interactive=False)
    assert not single.is_interactive


def test_a_session_cannot_start_without_the_system_message() -> None:
    with pytest.raises(ValueError, match="opens with the system message"):
        AgentState.started(AgentConfig(), make_message())


def test_the_first_question_makes_a_session_active() -> None:
    state = make_state()
    state.enter(TurnState.RECEIVED)
    assert state.session_status is SessionStatus.ACTIVE


def test_a_completed_session_takes_no_more_questions() -> None:
    state = make_state()
    state.move_session(SessionStatus.ACTIVE)
    state.move_session(SessionStatus.COMPLETED)
    with pytest.raises(IllegalTransition, match="from completed to active"):
        state.enter(TurnState.RECEIVED)
    assert state.status is TurnState.IDLE
    with pytest.raises(IllegalTransition):
        state.reset()


def test_the_agent_is_idle_between_turns() -> None:
    state = make_state()
    for _ in range(2):
        for step in ("received", "validating", "retrieving", "generating", "complete", "idle"):
            state.enter(TurnState(step))
    assert state.status is TurnState.IDLE


def test_the_agent_recovers_from_an_error() -> None:
    state = make_state()
    for step in (TurnState.RECEIVED, TurnState.ERROR, TurnState.IDLE, TurnState.RECEIVED):
        state.enter(step)
    assert state.status is TurnState.RECEIVED


def test_an_illegal_step_leaves_the_state_as_it_was() -> None:
    state = make_state()
    with pytest.raises(IllegalTransition):
        state.enter(TurnState.GENERATING)
    assert (state.status, state.session_status) == (TurnState.IDLE, SessionStatus.CREATED)


def test_a_finished_turn_is_remembered() -> None:
    state = make_state()
    ((asked, answered),) = talk(state, 1)
    assert state.conversation.dialogue == (asked, answered)
    assert state.total_tokens_used == 450
    assert state.last_retrieval == state.turns[0].retrieval


def test_tokens_add_up_over_the_session() -> None:
    state = make_state()
    talk(state, 3)
    assert state.total_tokens_used == 1350


def test_a_session_keeps_only_its_newest_turns_in_memory() -> None:
    state = make_state()
    talk(state, TURNS_KEPT + 2)
    assert [t.number for t in state.turns] == list(range(3, TURNS_KEPT + 3))


def test_the_session_obeys_max_history() -> None:
    state = make_state(max_history=3)
    talk(state, 3)
    assert [m.content for m in state.conversation.dialogue] == [
        "answer 2",
        "question 3",
        "answer 3",
    ]


def test_reset_keeps_the_system_message_and_stays_active() -> None:
    state = make_state()
    system, before = state.conversation.messages[0], state.conversation
    state.enter(TurnState.RECEIVED)
    talk(state, 5)
    state.reset()
    assert state.conversation.messages == (system,)
    assert state.session_status is SessionStatus.ACTIVE
    assert (state.turns, state.last_retrieval) == ((), None)
    assert state.conversation.id != before.id
    assert state.total_tokens_used == 2250, "what was spent stays spent"


def test_a_session_continues_after_a_reset() -> None:
    state = make_state()
    talk(state, 5)
    state.reset()
    talk(state, 1)
    assert len(state.conversation.dialogue) == 2


def test_a_session_refuses_wrong_values_when_they_are_set() -> None:
    with pytest.raises(ValidationError):
        make_state().total_tokens_used = -1


def test_a_session_knows_its_owner_also_after_a_reset() -> None:
    assert make_state().owner == ""
    state = AgentState.started(AgentConfig(), make_system(), owner="ada")
    state.enter(TurnState.RECEIVED)
    state.reset()
    assert state.owner == "ada"
