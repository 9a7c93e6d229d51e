"""What a learner's words mean in the conversation: a greeting, a look back, a follow-up, or new."""

import re
from enum import StrEnum
from typing import NamedTuple

from rag.text import STOPWORDS, words


class Kind(StrEnum):
    """How a question relates to the conversation."""

    STANDALONE = "standalone"
    FOLLOW_UP = "follow_up"
    LOOK_BACK = "look_back"
    GREETING = "greeting"


class Resolved(NamedTuple):
    """A question that can be searched by itself, and the topic the next one may lean on."""

    kind: Kind
    query: str
    topic: str


_GREETING = re.compile(
    r"(?:(?:hi+|hello+|hey+|howdy|greetings|hiya|yo|good (?:morning|afternoon|evening|day)|"
    r"thanks?(?: you)?(?: (?:so|very) much| a lot)?|thx|ty|cheers|bye|goodbye|see you|"
    r"great|cool|nice|perfect|awesome|ok|okay|got it|how are you(?: (?:doing|today))*|"
    r"what'?s up|who are you|what are you|what can you do|what can i ask(?: you)?|help|"
    r"there|everyone|all|lectern|tutor|again|and|for your help)[\s,.!?]*)+",
    re.IGNORECASE,
)
_LOOK_BACK = re.compile(
    r"\b(?:what|which|summari[sz]e|recap|list|remind me)\b.*?"
    r"(?:\b(?:did|have|had|were|was)\s+(?:we|i|you)\b.*\b(?:discuss\w*|talk\w*|ask\w*|sa(?:y|id)|"
    r"cover\w*|chat\w*)|\bmy\s+(?:very\s+)?(?:first|last|previous|earlier)\s+(?:question|message)|"
    r"\b(?:our|this|the)\s+(?:conversation|chat|discussion)\b)",
    re.IGNORECASE | re.DOTALL,
)
_POINTING = frozenset("it its itself they them their theirs that this those these one ones".split())
_PERSONAL = frozenset("it its itself they them their theirs".split())
_CLAUSE_BREAKS = frozenset(
    """and or but if when while because since so that which who whose then before after until
    although though where""".split()
)
_LEADS_ON = re.compile(
    r"^(?:(?:ok(?:ay)?|so|well|but|hmm+|right|thanks)[\s,]+)*"
    r"(?:(?:and|or|also|plus)\b(?!\s+(?:what|how|why|when|where|who|which)\s+(?:is|are|do|does)\s"
    r"+(?!it\b|they\b|that\b|this\b))|what about\b|how about\b|what if\b|same for\b|"
    r"(?:what|which|how|why|when|where)(?:\s+(?:so|not|then|else|exactly|come))*\s*[?.!]*$)",
    re.IGNORECASE,
)
_ASKS_FOR_MORE = re.compile(
    r"\b(?:more|example|examples|simpler|simply|detail|details|elaborate|again|shorter|longer|"
    r"continue|go on|further|step by step|clarify|rephrase|differently|terms|words|summary)\b",
    re.IGNORECASE,
)
# Verbs and fillers that say what to do with a topic but are not one.
_GENERIC = STOPWORDS | frozenset(
    """install installed installing set setup configure configured run running start started
    stop build create add write test try enable disable change check find fix improve choose
    help show list compare best better worse good bad main important matter matters important
    example examples more simpler terms words detail details elaborate clarify step steps next
    first second last part parts type types advantage advantages disadvantage disadvantages
    benefit benefits cost costs problem problems apply happen happens called possible required
    require requires long often fast slow hard easy simple summary again think learn
    understand continue shorter longer differently rephrase""".split()
)
_SCAFFOLD = re.compile(
    r"^(?:(?:ok(?:ay)?|so|well|please|hi|hey|hello|can|could|would|you|also|and|but|now)[\s,]+)*"
    r"(?:(?:tell|teach|show|remind)\s+me\s+(?:more\s+)?(?:about|how|what|why|of)?|"
    r"explain(?:\s+to\s+me)?(?:\s+(?:how|what|why))?|describe|define|"
    r"(?:what|who|where|when|why|how|which)(?:'s|s)?(?:\s+(?:is|are|was|were|do|does|did|can|could|"
    r"should|would|will|to|exactly|i|we|you|one|many|much|long|often|kinds?\s+of|types?\s+of))*|"
    r"is|are|does|do|can|should|i want to know(?:\s+about)?|i need to|give me)\s+",
    re.IGNORECASE,
)
_BEFORE_BACKWARD_POINTING = frozenset("for with of about to in on like from without".split())
_TURNS_TO = re.compile(r"^.*?\b(?:what|how) about\s+", re.IGNORECASE)
_BETWEEN = re.compile(r"^(?:the\s+)?differences?\s+between\s+", re.IGNORECASE)


def resolve(text: str, previous_topic: str = "") -> Resolved:
    """What a question means after what was said before."""
    plain = text.strip()
    if _GREETING.fullmatch(plain):
        return Resolved(Kind.GREETING, plain, previous_topic)
    if _LOOK_BACK.search(plain):
        return Resolved(Kind.LOOK_BACK, plain, previous_topic)
    if previous_topic and leans(plain):
        # "What about X?" turns the talk to X; every other follow-up stays with its topic.
        turned = _TURNS_TO.sub("", plain) if _TURNS_TO.search(plain) else ""
        topic = topic_of(turned) if turned and not leans(turned) else previous_topic
        return Resolved(Kind.FOLLOW_UP, _standalone(plain, previous_topic), topic)
    return Resolved(Kind.STANDALONE, plain, topic_of(plain))


def leans(text: str) -> bool:
    """Whether a question makes no sense without what was said before."""
    if _LEADS_ON.search(text):
        return True
    tokens = [w.lower() for w in words(text)]
    own_topic = [w for w in tokens if w not in _GENERIC]
    if not own_topic:
        return bool(_ASKS_FOR_MORE.search(text)) or any(w in _POINTING for w in tokens)
    return _pointing_word(tokens) is not None


def _pointing_word(tokens: list[str]) -> int | None:
    """Where a pronoun stands that nothing earlier in the same question explains."""
    if len(tokens) > 1 and tokens[-1] in _POINTING and tokens[-2] in _BEFORE_BACKWARD_POINTING:
        # "... do I need for that?": in one clause, a closing pronoun means something said before.
        return None if "and" in tokens else len(tokens) - 1
    named = False
    for i, word in enumerate(tokens):
        # "Which topics does it hear?" still points back; "a topic, and how does it work?" doesn't.
        if word in _POINTING and (not named or word in _PERSONAL):
            return None if _is_plain_determiner(tokens, i) else i
        if named and word in _CLAUSE_BREAKS:
            return None
        named = named or word not in _GENERIC
    return None


def _is_plain_determiner(tokens: list[str], i: int) -> bool:
    """`this book`, `one robot`: the word points at the noun behind it, not back."""
    following = tokens[i + 1] if i + 1 < len(tokens) else ""
    return tokens[i] in ("this", "that", "one", "these", "those") and bool(
        following and following not in _GENERIC
    )


def topic_of(text: str) -> str:
    """What a question is about: its words without the asking."""
    first = re.split(r"[,;]?\s+and\s+(?=how|what|why|when|where)", text.strip())[0]
    bare = first.rstrip("?.! ")
    for scaffold in (_SCAFFOLD, _SCAFFOLD, _BETWEEN):
        bare = scaffold.sub("", bare, count=1)
    tokens = bare.split()
    while tokens and tokens[0].lower().strip(",") in _GENERIC - {"it"}:
        tokens.pop(0)
    while tokens and tokens[-1].lower().strip(",") in _GENERIC:
        tokens.pop()
    return " ".join(tokens) or text.strip().rstrip("?.! ")


def _standalone(text: str, topic: str) -> str:
    """The question with the topic in the pronoun's place, or before what it adds."""
    tokens = [w.lower() for w in words(text)]
    place = _pointing_word(tokens)
    if place is not None:
        word = tokens[place]
        named = f"{topic}'s" if word in ("its", "their") else topic
        found = list(re.finditer(rf"\b{word}\b", text, flags=re.IGNORECASE))
        at = found[-1 if place == len(tokens) - 1 else 0]
        return text[: at.start()] + named + text[at.end() :]
    rest = re.sub(
        r"^(?:(?:ok(?:ay)?|so|well|but|and|or|also|plus|what about|how about|hmm+)[\s,]+)+",
        "",
        text,
        flags=re.IGNORECASE,
    )
    return f"{topic}: {rest}" if words(rest) else topic
