"""What a learner's words mean in the conversation: a greeting, a look back, a follow-up, or new."""

import re
from enum import StrEnum
from typing import NamedTuple

from rag.followups.english import (
    ASKING,
    EXTRAPOSING,
    ONE,
    POINTING,
    PREPOSITIONS,
    is_generic,
    read,
)
from rag.followups.pronouns import pointing_word
from rag.text import STOPWORDS

# A question may be a page long; what the next one leans on is a few words of it.
_TOPIC_WORDS = 15


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


_INTERJECTION = (
    r"hi+|hello+|hey+(?: ya)?|howdy|greetings|hiya|yo|good (?:morning|afternoon|evening|day|night)|"
    r"(?:no )?thanks?(?: you)?(?: (?:so|very) much| a (?:lot|bunch))?|thx|ty|cheers|bye+|goodbye|"
    r"see you(?: later| soon)?|great|cool|nice|perfect|awesome|wonderful|excellent|ok|okay|alright|"
    r"got it|i see|understood|(?:that )?makes sense|sounds good|never ?mind|"
    r"that(?:'?s| is| was)? (?:helps?|helped|helpful|great|nice|cool|all|perfect|clear)"
)
_ABOUT_US = (
    r"(?:nice|pleased) to meet you|how are you(?: (?:doing|today))*|how'?s it going|"
    r"what'?s up|who are you|what are you|what can you (?:do|help(?: me)? with)|"
    r"what can i ask(?: you)?|help(?: me)?"
)
_BOOK = r"(?:this|the|your) (?:book|textbook|course)"
_ABOUT_THE_BOOK = (
    rf"what(?:'?s| is| does) {_BOOK} (?:about|cover|teach)|"
    rf"what topics (?:does {_BOOK} cover|are there)|"
    rf"(?:list|show)(?: me)? the (?:chapters|modules|topics|contents)|(?:table of )?contents"
)
_HELLO = rf"(?:{_INTERJECTION}|{_ABOUT_US}|{_ABOUT_THE_BOOK})"
_ALONGSIDE = (
    r"there|everyone|everybody|all|friend|lectern|tutor|again|and|then|now|today|"
    r"for (?:that|this|your help|the help|everything)|very much|so much|please"
)
_GREETING = re.compile(rf"\W*{_HELLO}(?:\W+(?:{_HELLO}|{_ALONGSIDE}))*\W*", re.IGNORECASE)
_TALKED = r"(?:discuss|talk|ask|sa(?:y|id)|cover|chat|mention|t(?:ell|old))\w*"
_LOOK_BACK = re.compile(
    rf"\b(?:did|have|had|were|was|do)\s+(?:we|i|you)\b.*\b{_TALKED}|"
    rf"\b(?:we|i|you)(?:['’]ve|\s+have|\s+had)?(?:\s+(?:already|just))?\s+{_TALKED}|"
    r"\b(?:my|our|your)\s+(?:very\s+)?(?:first|second|third|last|latest|previous|earlier|other)\s+"
    r"(?:questions?|messages?|answers?)|"
    r"\b(?:our|this|the|my)\s+(?:whole\s+|entire\s+)?(?:conversation|chat|discussion|session)\b|"
    r"^\W*recap\b",
    re.IGNORECASE | re.DOTALL,
)
# The words of a look back. Any other one makes it a question about what the book says of that.
_OF_TALK = re.compile(
    rf"{_TALKED}|conversation|discussion|session|topics?|questions?|messages?|answers?|recap\w*|"
    r"summari\w+|remind\w*|repeat\w*|far|beginning|started|earlier|ago|history|subjects?|things?|"
    r"can|could|please|very|previously|latest|whole|entire|order|review",
    re.IGNORECASE,
)
_OPENERS = re.compile(
    rf"^(?:(?:{_INTERJECTION}|so|well|but|hmm+|uh+m*|right|please|yes|no|yeah|sure|now|then)"
    r"(?!\w)[\s,.!…-]+)+",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"^(?:(?:and|or|also|plus|but|so|then|ok|okay)(?!\w)[\s,]*)+", re.IGNORECASE)
_WHOLE_QUESTION = re.compile(
    r"^(?:(?:what|how|why|when|where|who|which)\s+)?"
    r"(?:is|are|was|were|do|does|did|can|could|should|would|will|has|have|to)\b",
    re.IGNORECASE,
)
_TURNS_TO = re.compile(r"^(?:(?:what|how) about|same (?:for|with)|as for)\b\s*", re.IGNORECASE)
_SUPPOSES = re.compile(r"^what if\b", re.IGNORECASE)
_BARE = re.compile(
    r"(?:what|which|how|why|when|where|who|like what|such as|meaning|for example|"
    r"why is (?:that|it|this))"
    r"(?:\s+(?:so|not|then|else|exactly|come|now|though|ones?|to))*\W*",
    re.IGNORECASE,
)
_NEXT_CLAUSE = re.compile(
    r"[,;]?\s+(?:and\s+)?(?=(?:how|what|why|when|where|if|because|while|so that)\b)", re.IGNORECASE
)


def resolve(text: str, previous_topic: str = "", previous_query: str = "") -> Resolved:
    """What a question means after what was said before: the last topic, and the last query."""
    plain = text.strip()
    if _GREETING.fullmatch(plain) and not re.search(r"\band\W*$", plain, re.IGNORECASE):
        return Resolved(Kind.GREETING, plain, previous_topic)
    if _looks_back(plain):
        return Resolved(Kind.LOOK_BACK, plain, previous_topic)
    if previous_topic and leans(plain):
        return _follow_up(plain, previous_topic, previous_query)
    return Resolved(Kind.STANDALONE, plain, topic_of(plain))


def _follow_up(text: str, topic: str, asked: str) -> Resolved:
    """A leaning question by itself. "And X?" asks the same of X, and the talk turns to X."""
    turned = _turned_to(text)
    # "A node in Python" and then "C++?": which part of it X replaces, nobody can tell.
    is_plain = not any(token.word in PREPOSITIONS for token in read(topic))
    if turned and is_plain and topic.lower() in asked.lower():
        at = asked.lower().index(topic.lower())
        query = asked[:at] + turned + asked[at + len(topic) :]
    else:
        query = _standalone(text, topic)
    return Resolved(Kind.FOLLOW_UP, query, turned or topic)


def _turned_to(text: str) -> str:
    """What a follow-up names in the old topic's place; nothing if it only adds to the topic."""
    bare = _TURNS_TO.sub("", _GOES_ON.sub("", _opened(text))).strip(" ?.!")
    words = {token.word for token in read(bare)}
    first = read(bare)[:1]
    adds = any(token.word in PREPOSITIONS | ASKING for token in first) or leans(bare)
    if adds or words & POINTING or _WHOLE_QUESTION.search(bare):
        return ""
    return re.sub(r"^(?:an?|the)\s+", "", bare, flags=re.IGNORECASE)


def _looks_back(text: str) -> bool:
    """Whether a question is about the conversation, and not about what the book says."""
    if not _LOOK_BACK.search(text) or re.search(r"\babout\s+(?:it|that|this|them)\b", text):
        return False
    tokens = read(text)
    return not any(t.names and not _OF_TALK.fullmatch(t.word) for t in tokens)


def _opened(text: str) -> str:
    """The question behind a greeting, thanks or hesitation."""
    return _OPENERS.sub("", text)


def leans(text: str) -> bool:
    """Whether a question makes no sense without what was said before."""
    opened = _opened(text)
    bare = _GOES_ON.sub("", opened)
    if _TURNS_TO.search(bare) or _SUPPOSES.search(bare) or _BARE.fullmatch(bare):
        return True
    # "And for two legs?" adds to what was said; "And what is a service?" is a new question.
    if bare != opened and not _WHOLE_QUESTION.search(bare):
        return True
    tokens = read(bare)
    if not any(token.names for token in tokens):
        return bool(tokens)
    words = [token.word for token in tokens]
    is_fragment = words[0] in PREPOSITIONS and len(words) <= 4 and not ASKING & set(words)
    return is_fragment or pointing_word(tokens) is not None


def topic_of(text: str) -> str:
    """What a question is about: its words without the asking."""
    tokens = _opened(text.strip()).split()
    while tokens and _only_asks(tokens[0]):
        tokens.pop(0)
    tokens = _NEXT_CLAUSE.split(" ".join(tokens))[0].split()[:_TOPIC_WORDS]
    while tokens and _word(tokens[-1]) in STOPWORDS | POINTING:
        tokens.pop()
    if tokens:
        return " ".join(tokens).strip(" ,;:.?!")
    # Nothing is named: what is left of the asking, if it is more than pronouns and fillers.
    return " ".join(token.word for token in read(text) if token.word not in STOPWORDS)


def _word(token: str) -> str:
    return token.strip("\"“”'.,;:?!()").lower()


def _only_asks(token: str) -> bool:
    return is_generic(_word(token)) or _word(token) in EXTRAPOSING or _word(token) == "comes"


def _standalone(text: str, topic: str) -> str:
    """The question with the topic in the pronoun's place, or before what it adds."""
    bare = _GOES_ON.sub("", _opened(text))
    if topic.lower() in bare.lower():
        return bare
    tokens = read(bare)
    place = None if _BARE.fullmatch(bare) else pointing_word(tokens)
    if place is not None and tokens[place].word not in ONE:
        token = tokens[place]
        written = bare[token.start : token.end]
        is_owner = token.word in ("its", "their", "theirs")
        ending = "'s" if is_owner else " is" if re.search(r"['’]s$", written) else ""
        return bare[: token.start] + topic + ending + bare[token.end :]
    rest = _TURNS_TO.sub("", bare)
    return f"{topic}: {rest}" if read(rest) else topic
