"""One turn in the making: one question's whole way, as a stream of events."""

import time
from collections.abc import Generator as Steps
from collections.abc import Iterator
from typing import NamedTuple

from rag import replies
from rag.domain.agent import AgentState
from rag.domain.answer import AgentResponse, AnswerSource, ResponseStatus, Timings
from rag.domain.book import Chunk
from rag.domain.conversation import Message, Role
from rag.domain.errors import StorageError
from rag.domain.events import Event, Finished, Retrieved, StatusChanged, TextDelta
from rag.domain.ledger import TokenLedger
from rag.domain.question import Question
from rag.domain.retrieval import Fate, Retrieval
from rag.domain.states import Timeline, TurnState
from rag.domain.turn import Turn
from rag.followups import Kind, Resolved, resolve
from rag.generate.base import GenerationRequest, Generator
from rag.grounding import cite, confidence
from rag.markers import MarkerStream
from rag.memory import Memory
from rag.prompts import Prompt, compose
from rag.search.passage import query_within, subject_of
from rag.search.retriever import Retriever
from rag.tokens import count_tokens


class Parts(NamedTuple):
    """What a tutor works with."""

    retriever: Retriever
    generator: Generator
    memory: Memory


# What is answered without the book, and is no question to look back at.
_TALK = (Kind.GREETING, Kind.LOOK_BACK)


class _Outcome(NamedTuple):
    """What a turn ended with."""

    response: AgentResponse
    retrieval: Retrieval | None = None
    ledger: TokenLedger | None = None


# Events on the way, the outcome at its end.
_Step = Steps[Event, None, _Outcome]


class Run:
    """One turn in the making."""

    def __init__(self, parts: Parts, state: AgentState, passage: Chunk | None) -> None:
        """Take what it works with, the session and the passage asked about, if there is one."""
        self.parts = parts
        self.state = state
        self.passage = passage
        self.config = state.config
        self.started = time.perf_counter()
        self.timeline = Timeline.begun()
        state.enter(TurnState.RECEIVED)

    def enter(self, new: TurnState) -> Iterator[Event]:
        """Go to another state and tell it."""
        self.timeline = self.timeline.enter(new)
        self.state.enter(new)
        yield StatusChanged(state=new)

    def events(self, text: str) -> Iterator[Event]:
        """Validate, resolve, then talk, answer or refuse; save."""
        yield StatusChanged(state=TurnState.RECEIVED)
        yield from self.enter(TurnState.VALIDATING)
        within = self.passage.text if self.passage else ""
        asked = Question.ask(text, self.config.top_k, self.config.threshold, within)
        resolved = self._resolved(asked.text)
        question = asked.model_copy(update={"metadata": {"topic": resolved.topic}})
        if resolved.kind in _TALK:
            outcome = yield from self._talk(question, resolved)
        else:
            outcome = yield from self._from_the_book(question, resolved)
        yield from self._finish(question, resolved, outcome)

    def _resolved(self, text: str) -> Resolved:
        """What the question means: after the turn before, or of the passage and nothing else."""
        if self.passage is None:
            return resolve(text, *self._said_before())
        resolved = resolve(text)
        if resolved.kind in _TALK:
            return resolved
        query = query_within(text, self.passage)
        topic = subject_of(self.passage) if query == self.passage.text else resolved.topic
        return resolved._replace(query=query, topic=topic)

    def _said_before(self) -> tuple[str, str]:
        """The topic and the query of the turn before; a whole passage is no query to vary."""
        if not self.state.turns:
            return "", ""
        last = self.state.turns[-1]
        query = last.question.text if last.question.passage else last.standalone
        return str(last.question.metadata.get("topic", "")), query

    def _talk(self, question: Question, resolved: Resolved) -> _Step:
        """A greeting, or a look back at the conversation: nothing is searched."""
        if resolved.kind is Kind.GREETING:
            book = self.parts.retriever.book()
            source = AnswerSource.GREETING
            answer = replies.greeting(question.text, book.title, book.topics)
        else:
            source = AnswerSource.CONVERSATION
            asked = [text for text in self._asked_so_far() if resolve(text).kind not in _TALK]
            answer = replies.look_back(question.text, asked)
        yield TextDelta(text=answer)
        return _Outcome(
            AgentResponse(
                question_id=question.id,
                status=ResponseStatus.SUCCESS,
                source=source,
                answer=answer,
                timings=Timings(total_ms=self._elapsed_ms()),
            )
        )

    def _asked_so_far(self) -> list[str]:
        """The questions of this conversation; of its newest turns, where the database fails."""
        try:
            return self.parts.memory.questions(self.state.conversation.id)
        except StorageError:
            return [turn.question.text for turn in self.state.turns]

    def _from_the_book(self, question: Question, resolved: Resolved) -> _Step:
        """Retrieve; the gate looks at this turn's retrieval and nothing else."""
        yield from self.enter(TurnState.RETRIEVING)
        retrieval = self._retrieved(question, resolved.query)
        yield Retrieved(retrieval=retrieval)
        messages = self.state.conversation.messages
        # Of a passage, the query may be the passage itself; the model reads what was asked.
        put = question.text if question.passage else retrieval.query
        prompt = compose(self.config, put, retrieval, messages)
        if prompt.retrieval.used:
            return (yield from self._generated(question, prompt))
        refused = self._refusal(question, prompt.retrieval)
        yield TextDelta(text=refused.response.answer)
        return refused

    def _retrieved(self, question: Question, query: str) -> Retrieval:
        retriever, weight = self.parts.retriever, self.config.lexical_weight
        if self.passage is None:
            return retriever.retrieve(question, query, weight)
        return retriever.retrieve_within(question, query, self.passage, weight)

    def _refusal(self, question: Question, retrieval: Retrieval) -> _Outcome:
        """The book doesn't tell; here is what stands nearest. Nothing was generated."""
        # Nothing stands nearer to a passage than itself, and that one doesn't tell.
        nearest = () if self.passage else replies.nearest_sections(retrieval)
        response = AgentResponse(
            question_id=question.id,
            status=ResponseStatus.INSUFFICIENT_CONTEXT,
            answer=replies.refusal(self.parts.retriever.book().title, retrieval, nearest),
            nearest=nearest,
            confidence=replies.refusal_confidence(retrieval),
            retrieval_count=len(retrieval.used),
            model_used=self.parts.generator.name,
            timings=self._timings(retrieval, 0.0),
        )
        return _Outcome(response, retrieval)

    def _generated(self, question: Question, prompt: Prompt) -> _Step:
        """Generate from the passages that fit the window, and check what comes."""
        yield from self.enter(TurnState.GENERATING)
        began = time.perf_counter()
        markers = MarkerStream(prompt.retrieval.used)
        answer = ""
        for shown in self._written(prompt, markers):
            answer += shown
            yield TextDelta(text=shown)
        generation_ms = (time.perf_counter() - began) * 1000
        return self._grounded(question, answer.strip(), prompt, markers, generation_ms)

    def _written(self, prompt: Prompt, markers: MarkerStream) -> Iterator[str]:
        """The generator's text as it may be shown."""
        request = GenerationRequest(
            question=prompt.retrieval.query,
            passages=prompt.retrieval.used,
            messages=prompt.messages,
            model=self.config.model,
            temperature=self.config.temperature,
            max_tokens=min(self.config.max_tokens, prompt.ledger.max_answer_tokens),
        )
        for piece in self.parts.generator.stream(request):
            if shown := markers.feed(piece):
                yield shown
        if shown := markers.finish():
            yield shown

    def _grounded(
        self,
        question: Question,
        answer: str,
        prompt: Prompt,
        markers: MarkerStream,
        generation_ms: float,
    ) -> _Outcome:
        """The answer with verified citations; one that cites nothing is a refusal."""
        used = prompt.retrieval.used
        if not markers.cited:
            return self._refusal(question, prompt.retrieval)
        response = AgentResponse(
            question_id=question.id,
            status=ResponseStatus.SUCCESS,
            answer=answer,
            grounded=True,
            citations=cite(prompt.retrieval.query, markers.cited, answer),
            dropped_markers=markers.dropped,
            confidence=confidence(prompt.retrieval.query, answer, used, markers.cited),
            retrieval_count=len(used),
            model_used=self.parts.generator.name,
            temperature=self.config.temperature,
            tokens_used=prompt.ledger.prompt_tokens + count_tokens(answer),
            timings=self._timings(prompt.retrieval, generation_ms),
        )
        cited = {c.chunk.chunk_id: Fate.CITED for c in markers.cited}
        return _Outcome(response, prompt.retrieval.with_fates(cited), prompt.ledger)

    def _finish(self, question: Question, resolved: Resolved, outcome: _Outcome) -> Iterator[Event]:
        """Record the turn, remember it, save it."""
        yield from self.enter(TurnState.COMPLETE)
        turns = self.state.turns
        turn = Turn(
            conversation_id=self.state.conversation.id,
            number=turns[-1].number + 1 if turns else 1,
            question=question,
            standalone=resolved.query,
            retrieval=outcome.retrieval,
            ledger=outcome.ledger,
            response=outcome.response,
            timeline=self.timeline,
            config=self.config.model_dump(mode="json"),
            config_fingerprint=self.config.fingerprint,
            timestamp=question.timestamp,
            duration_seconds=max(time.perf_counter() - self.started, 1e-6),
        )
        notice = ""
        try:
            turn = self.parts.memory.save_turn(turn, owner=self.state.owner)
        except StorageError as error:
            # An answer that was given is not lost because a disk is full.
            notice = f"This answer could not be saved. {error}"
        self.state.remember(turn, *messages_of(turn))
        yield Finished(turn=turn, notice=notice)

    def _timings(self, retrieval: Retrieval, generation_ms: float) -> Timings:
        return Timings(
            retrieval_ms=retrieval.timings.total_ms,
            generation_ms=generation_ms,
            total_ms=self._elapsed_ms(),
        )

    def _elapsed_ms(self) -> float:
        return (time.perf_counter() - self.started) * 1000


def messages_of(turn: Turn) -> tuple[Message, Message]:
    """A turn as the two messages the conversation keeps."""
    asked, answer = turn.question.text, turn.response.answer
    return (
        Message(
            role=Role.USER,
            content=asked,
            timestamp=turn.question.timestamp,
            token_count=count_tokens(asked),
        ),
        Message(
            role=Role.ASSISTANT,
            content=answer,
            timestamp=turn.response.timestamp,
            citations=turn.response.citations,
            token_count=count_tokens(answer),
            metadata={"turn_id": turn.id},
        ),
    )
