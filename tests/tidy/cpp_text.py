"""C++ text as the tidy rules read it: without comments and literals, and cut into functions."""
import re

_TOKEN = re.compile(
    r'//(?:[^\n\\]|\\.|\\\n)*'                         # line comment
    r'|/\*.*?\*/'                                      # block comment
    r'|(?:u8|[uUL])?R"(?P<tag>[^()\\\s]*)\(.*?\)(?P=tag)"'  # raw string
    r'|"(?:[^"\\\n]|\\.)*"'                            # string
    r"|(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)+'",           # character, and no digit separator
    re.DOTALL)


def _blank(match):
    """As many lines as before, so that line numbers stay true."""
    token = match.group(0)
    lines = "\n" * token.count("\n")
    return lines if token.startswith("/") else '""' + lines


def code_only(text):
    """The text with comments gone and literals empty; every line keeps its number."""
    return _TOKEN.sub(_blank, text)


def without_preprocessor(code):
    return re.sub(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", lambda m: "\n" * m.group(0).count("\n"), code,
                  flags=re.MULTILINE)


_NO_FUNCTION = re.compile(
    r"\s*(?:template\s*<.*>\s*)?(?:\[\[.*?\]\]\s*)?(?:inline\s+)?"
    r"(?:namespace|class|struct|union|enum|extern)\b"
    r"|.*\bnamespace(?:\s+[\w:]+)?$",  # after a macro without a semicolon
    re.DOTALL)


def _opens_function(head):
    """Whether a '{' after this text (since the last ';', '{' or '}') begins a function's body."""
    head = head.strip()
    return ")" in head and not head.endswith("=") and not _NO_FUNCTION.match(head)


def functions(text):
    """(first line, last line, name) of each function that is inside no other: a guess by braces."""
    code = without_preprocessor(code_only(text))
    found = []
    depth = 0
    inside_since = None  # depth, and what the function begins with
    head_begin = 0
    for match in re.finditer(r"[;{}]", code):
        position = match.start()
        head = code[head_begin:position]
        if match.group(0) == "{":
            if inside_since is None and _opens_function(head):
                begin = head_begin + len(head) - len(head.lstrip())
                inside_since = (depth, begin, head.strip())
            depth += 1
        elif match.group(0) == "}":
            depth = max(depth - 1, 0)
            if inside_since is not None and depth == inside_since[0]:
                begin = inside_since[1]
                found.append((code.count("\n", 0, begin) + 1, code.count("\n", 0, position) + 1,
                              _name_of(inside_since[2])))
                inside_since = None
        head_begin = match.end()
    return found


def _name_of(head):
    test_case = re.match(r"BOOST_\w+\(\s*(\w+)", head)
    if test_case:
        return test_case.group(1)
    name = re.search(r"([\w:~]+|operator\S+)\s*\(", head)
    return name.group(1) if name else "function"


def includes(text):
    """(line, quoted, header) of every #include."""
    pattern = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
    return [(text.count("\n", 0, m.start()) + 1, m.group(1) == '"', m.group(2))
            for m in pattern.finditer(text)]
