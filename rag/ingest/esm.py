"""MDX's import and export statements, told apart from prose that begins with those words."""

import re

_IMPORT = re.compile(
    r"import(?:\s+type)?(?:\s+[\w$*{][^;'\"`]*?\sfrom)?\s*['\"][^'\"\n]+['\"]\s*;?[ \t]*"
)
_OPEN_IMPORT = re.compile(r"import(?:\s+type)?\s+(?:[\w$]+\s*,\s*)?\{[^}'\"`]*")
_EXPORT = re.compile(
    r"export\s+(?:"
    r"(?:const|let|var)\s+[\w$\[{][^=]*=|(?:async\s+)?function\b[\s*]*[\w$]*\s*\(|class\s+[\w$]+"
    r"|(?:type|interface)\s+[\w$]+\s*[={<]|\*\s*(?:as\s+\w+\s+)?from\b|\{"
    r"|default\s+(?:(?:async\s+)?function\b|class\b|[({\[]|[\w$.]+\s*;?\s*$|[\w$.]+\())"
)
_UNFINISHED = re.compile(r"(?:=>|[=,+&|?:(\[{.]|\bfrom)\s*$")
_NOISE = re.compile(
    r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|/\*.*?\*/|//[^\n]*", re.DOTALL
)


def statement_lines(lines: list[str], start: int) -> int:
    """How many lines the statement that begins here takes; 0 where there is none."""
    line = lines[start]
    if line.startswith("import"):
        return _import_lines(lines, start)
    if line.startswith("export") and _EXPORT.match(line):
        return _export_lines(lines, start)
    return 0


def _import_lines(lines: list[str], start: int) -> int:
    """An import on one line, or with its names in braces over several."""
    if _IMPORT.fullmatch(lines[start]):
        return 1
    if not _OPEN_IMPORT.fullmatch(lines[start]):
        return 0
    for end in range(start + 1, len(lines)):
        if not lines[end].strip():
            return 0
        if _IMPORT.fullmatch("\n".join(lines[start : end + 1])):
            return end + 1 - start
    return 0


def _export_lines(lines: list[str], start: int) -> int:
    """An export up to where its brackets are closed again."""
    for end in range(start, len(lines)):
        code = _NOISE.sub("''", "\n".join(lines[start : end + 1]))
        depth = sum(code.count(c) for c in "([{") - sum(code.count(c) for c in ")]}")
        if depth <= 0 and "`" not in code and not _UNFINISHED.search(code):
            return end + 1 - start
    # Never closed: it must not swallow the page, only its own paragraph.
    blank = next((at for at in range(start, len(lines)) if not lines[at].strip()), len(lines))
    return blank - start
