"""The command line: ask, chat, search, ingest, eval, status. It prints what `ask()` streams."""

import argparse
import json
import logging
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from rag.build import Library
from rag.domain.agent import AgentState
from rag.domain.answer import AgentResponse, ResponseStatus
from rag.domain.errors import ErrorResponse, ErrorType, LecternError, LibraryBusy, TurnError
from rag.domain.events import Failed, Finished, TextDelta
from rag.domain.question import Question
from rag.domain.wire import response_to_json
from rag.settings import load_settings

ANSWERED, NO_CONTEXT, BAD_INPUT, NO_CONNECTION, INTERRUPTED = 0, 1, 2, 3, 130
_HELP = """\
Type a question about the book, or one of:
  citations      where the last answer stands in the book
  reset, clear   start a new conversation
  help, ?        this text
  exit, quit, bye"""


def main(arguments: Sequence[str]) -> int:
    """Run one command; whatever happens, a person reads a sentence, never a stack trace."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except LecternError as error:
        print(error, file=sys.stderr)
        return _exit_code(error)
    except KeyboardInterrupt:
        print("\nInterrupted.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away, as `| head` does; there is nobody left to tell.
        sys.stderr.close()
        return ANSWERED
    except Exception as error:  # the last line of defence: see the docstring
        logging.getLogger(__name__).debug("unexpected", exc_info=error)
        print(f"Something went wrong inside Lectern: {error}", file=sys.stderr)
        return NO_CONNECTION


def _exit_code(error: LecternError) -> int:
    if isinstance(error, TurnError):
        return _exit_code_of(error.error_type)
    return NO_CONNECTION if isinstance(error, LibraryBusy) else BAD_INPUT


def _exit_code_of(error_type: ErrorType) -> int:
    ours = (ErrorType.INVALID_INPUT, ErrorType.AUTH_ERROR, ErrorType.CONTEXT_OVERFLOW)
    return BAD_INPUT if error_type in ours else NO_CONNECTION


def _parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--home", type=Path, help="where the library lives (or LECTERN_HOME)")
    tuned = argparse.ArgumentParser(add_help=False)
    tuned.add_argument("--top-k", type=int, help="how many passages to use, 1 to 20")
    tuned.add_argument("--threshold", type=float, help="least similarity, 0 to 1")
    tuned.add_argument("--json", action="store_true", help="print JSON")
    parser = argparse.ArgumentParser(prog="python -m rag", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(
        name: str, run: Callable[..., int], text: str, *parents: argparse.ArgumentParser
    ) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, parents=[shared, *parents])
        made.set_defaults(run=run)
        return made

    ask = command("ask", _ask, "answer one question", tuned)
    ask.add_argument("question")
    ask.add_argument("--show-citations", action="store_true", help="print where it stands")
    command("chat", _chat, "talk about the book")
    command("search", _search, "show what a question finds", tuned).add_argument("question")
    ingest = command("ingest", _ingest, "index a book in place of the present one")
    ingest.add_argument(
        "path", type=Path, nargs="?", help="a folder of Markdown; by default the bundled book"
    )
    ingest.add_argument("--if-empty", action="store_true", help="only into an empty library")
    ingest.add_argument("--base-url", default="", help="where the book's website has these pages")
    measure = command("eval", _eval, "measure answers on a set of questions")
    measure.add_argument("file", type=Path, help="questions, one JSON object a line")
    measure.add_argument("--json", action="store_true", help="print JSON, case by case")
    command("status", _status, "say what is in use").add_argument(
        "--json", action="store_true", help="print JSON"
    )
    return parser


def _open(options: argparse.Namespace, fill: bool = True) -> Library:
    """The library; an empty one gets the book of the settings first."""
    library = Library(load_settings(home=options.home))
    try:
        if fill and library.ensure_book(progress("Indexing the book")):
            _end_bar()
    except BaseException:
        library.close()
        raise
    return library


def progress(label: str) -> Callable[[int, int], None]:
    """A progress bar on the error stream, so that answers can be piped; none in a log."""

    def show(done: int, total: int) -> None:
        if not sys.stderr.isatty():
            return
        filled = 30 * done // max(total, 1)
        bar = "█" * filled + "░" * (30 - filled)
        print(f"\r{label} {bar} {done}/{total}", end="", file=sys.stderr, flush=True)

    return show


def _end_bar() -> None:
    """The line after a progress bar."""
    if sys.stderr.isatty():
        print(file=sys.stderr)


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _ask(options: argparse.Namespace) -> int:
    """Answer one question."""
    with _open(options) as library:
        state = _tuned(library.tutor.start(interactive=False), options)
        return _answer(library, state, options.question, options.json, options.show_citations)


def _tuned(state: AgentState, options: argparse.Namespace) -> AgentState:
    """The session with this call's top_k and threshold; the question validates them."""
    given = {"top_k": options.top_k, "threshold": options.threshold}
    update = {name: value for name, value in given.items() if value is not None}
    return state.model_copy(update={"config": state.config.model_copy(update=update)})


def _answer(library: Library, state: AgentState, text: str, as_json: bool, cite: bool) -> int:
    """Print one answer as it streams, or whole as JSON; the exit code says how it went."""
    for event in library.tutor.ask(text, state):
        if isinstance(event, TextDelta) and not as_json:
            print(event.text, end="", flush=True)
        elif isinstance(event, Finished):
            if event.notice:
                print(event.notice, file=sys.stderr)
            _print_end(event.turn.response, as_json, cite)
            found = event.turn.response.status is ResponseStatus.SUCCESS
            return ANSWERED if found else NO_CONTEXT
        elif isinstance(event, Failed):
            return _print_failure(event.error, as_json)
    return NO_CONNECTION


def _print_end(response: AgentResponse, as_json: bool, cite: bool) -> None:
    if as_json:
        print(json.dumps(response_to_json(response), ensure_ascii=False, indent=2))
        return
    print()
    if cite:
        _print_citations(response)


def _print_citations(response: AgentResponse) -> None:
    for c in response.citations:
        print(f"\n[{c.index}] {c.label}\n    {c.url}\n    similarity {c.score:.2f}: “{c.quote}”")
    if not response.citations:
        print("There are no citations.")


def _print_failure(error: ErrorResponse, as_json: bool) -> int:
    if as_json:
        response = AgentResponse(question_id="-", status=ResponseStatus.ERROR, error=error)
        print(json.dumps(response_to_json(response), ensure_ascii=False, indent=2))
    print(error.user_message, file=sys.stderr)
    return _exit_code_of(error.error_type)


def _chat(options: argparse.Namespace) -> int:
    """Talk until the learner leaves."""
    with _open(options) as library:
        state = library.tutor.start()
        print(f"{library.tutor.book().title}. Ask a question, or type help.")
        while True:
            try:
                text = input("> ").strip()
            except EOFError:
                return ANSWERED
            if text.lower() in ("exit", "quit", "bye"):
                return ANSWERED
            if text:
                _chat_line(library, state, text)


def _chat_line(library: Library, state: AgentState, text: str) -> None:
    """One line of a conversation: a command word or a question."""
    word = text.lower()
    if word in ("help", "?"):
        print(_HELP)
    elif word in ("reset", "clear"):
        state.reset()
        print("A new conversation.")
    elif word == "citations" and state.turns:
        _print_citations(state.turns[-1].response)
    elif word == "citations":
        print("Ask something first.")
    else:
        _answer(library, state, text, as_json=False, cite=False)


def _search(options: argparse.Namespace) -> int:
    """Show every candidate for a question with its scores and fate."""
    with _open(options) as library:
        config = _tuned(library.tutor.start(interactive=False), options).config
        question = Question.ask(options.question, config.top_k, config.threshold)
        found = library.retriever.retrieve(question, question.text, config.lexical_weight)
    if options.json:
        print(found.model_dump_json(indent=2))
    else:
        for c in found.chunks:
            fate = c.fate.value.replace("_", " ")
            print(f"{c.rank:3} {c.similarity:.3f} {c.lexical:7.2f} {fate:15} {c.chunk.place}")
    return ANSWERED if found.used else NO_CONTEXT


def _ingest(options: argparse.Namespace) -> int:
    """Index a book."""
    with _open(options, fill=False) as library:
        if options.if_empty and library.manifest():
            return ANSWERED
        folder = options.path or library.settings.book
        done = library.ingest(folder, options.base_url, progress("Indexing"))
    _end_bar()
    for skipped in done.skipped:
        print(f"Skipped {skipped.file}: {skipped.reason}", file=sys.stderr)
    for problem in done.problems:
        print(f"Read {problem.file}, but: {problem.reason}", file=sys.stderr)
    if done.unchanged:
        print(f"Nothing changed: {_counted(done.pages, 'page')}, {done.chunks} passages.")
    else:
        print(
            f"Indexed {_counted(done.pages, 'page')} as {_counted(done.chunks, 'passage')}: "
            f"{done.embedded} embedded, {done.reused} known already, {done.removed} removed."
        )
    return ANSWERED


def _eval(options: argparse.Namespace) -> int:
    """Measure on a set of questions."""
    from rag.evaluate import evaluate, read_cases

    cases = read_cases(options.file)
    with _open(options) as library:
        report = evaluate(library.tutor, cases, progress("Asking"))
    _end_bar()
    if options.json:
        print(report.model_dump_json(indent=2))
        return ANSWERED
    metrics = report.model_dump(exclude={"results", "refused_by_style"})
    styles = {f"refused, {style}": share for style, share in report.refused_by_style.items()}
    for name, value in (metrics | styles).items():
        if value is not None:
            shown = f"{value:.3f}" if isinstance(value, float) else value
            print(f"{name.replace('_', ' '):22} {shown}")
    return ANSWERED


def _status(options: argparse.Namespace) -> int:
    """Say which book and which engines are in use."""
    with _open(options, fill=False) as library:
        book = library.manifest()
        shown = {
            "home": str(library.home.path),
            "book": book.title if book else "none yet: run `python -m rag ingest PATH`",
            "pages": len(book.pages) if book else 0,
            "passages": book.chunk_count if book else 0,
            "indexed": book.published_at.isoformat(timespec="seconds") if book else "",
            **library.engines._asdict(),
            "top_k": library.tutor.config.top_k,
            "threshold": library.tutor.config.threshold,
        }
    if options.json:
        print(json.dumps(shown, ensure_ascii=False, indent=2))
    else:
        for name, value in shown.items():
            print(f"{name:10} {value}")
    return ANSWERED
