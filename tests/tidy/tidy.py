#!/usr/bin/env python3
"""Holds the tree to its own rules: layers, banned calls, sizes, openings, formatting, words.

    tests/tidy/tidy.py [ROOT]     prints FILE:LINE: RULE: WHAT for each offence; exit code 1 if any

Each rule is a function from one file's path and text to its findings, and tidy_test.py proves with
a small bad file that it fires.
"""
import os
import re
import shutil
import subprocess
import sys
from typing import NamedTuple

import cpp_text
import layers

FILE_LINES_MAX = 600
FUNCTION_LINES_MAX = 70
COLUMNS_MAX = 100

ROOTS = ["src", "tests", "tools", "cmake", "docs", "examples", "schemas", "deploy", ".ci"]
SKIPPED_FOLDERS = {"__pycache__", "golden", "node_modules", "corpus"}
CLANG_FORMAT = "clang-format-19"


class Finding(NamedTuple):
    path: str
    line: int
    rule: str
    what: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.rule}: {self.what}"


def is_cpp(path):
    return path.endswith((".hpp", ".cpp", ".inl"))


def is_script(path):
    return path.endswith((".py", ".sh")) or (
        path.startswith(("tools/", ".ci/")) and "." not in os.path.basename(path))


def is_code(path):
    return is_cpp(path) or is_script(path) or path.endswith((".cmake", "CMakeLists.txt"))


def line_of(text, position):
    return text.count("\n", 0, position) + 1


# Layers.

def check_layers(path, text):
    if not is_cpp(path) or layers.module_of(path) is None:
        return
    for line, quoted, header in cpp_text.includes(text):
        offence = layers.check_include(path, quoted, header)
        if offence:
            yield Finding(path, line, "layers", offence)


def check_namespace(path, text):
    if not is_cpp(path) or not path.startswith("src/"):
        return
    module = layers.module_of(path)
    own = "quadrille" if module == "base" else f"quadrille::{module}"
    code = cpp_text.code_only(text)
    for match in re.finditer(r"^namespace (quadrille[\w:]*)", code, re.MULTILINE):
        if match.group(1) != own and not match.group(1).startswith(own + "::"):
            yield Finding(path, line_of(code, match.start()), "namespace",
                          f"{match.group(1)} in src/{module}; its namespace is {own}")


# Banned calls. Each: rule, pattern, why, and a predicate on paths where it holds.

def _below_drivers(path):
    return path.startswith("src/") and not path.startswith(("src/swarm/", "src/node/"))


def _in_code(path):
    return path.startswith(("src/", "tests/"))


BANNED = [
    ("clock", r"\b(?:steady_clock|system_clock|high_resolution_clock|utc_clock|clock_gettime"
              r"|gettimeofday|timespec_get|__rdtsc)\b"
              r"|(?<![\w.>:])(?:std::|::)?time\s*\(\s*(?:nullptr|NULL|0|&\w+)\s*\)"
              r"|(?<!\w)(?:std)?::clock\s*\(\s*\)",
     "only swarm and node read a clock: take a TimePoint", _below_drivers),
    ("random", r"\bstd::(?:\w+_distribution|random_device|mt19937\w*|minstd_rand\w*"
               r"|default_random_engine|shuffle|sample)\b|\bstd::ranges::(?:shuffle|sample)\b"
               r"|(?<![\w.>])(?:std::|::)?(?:s?rand|drand48|getrandom|getentropy)\s*\(",
     "randomness comes from base/random.hpp, where one seed replays everything", _in_code),
    ("sleep", r"\bthis_thread::sleep_\w+|(?<![\w.>])(?:std::|::)?(?:u|nano)?sleep\s*\(",
     "nothing sleeps: wait for an event, or use the manual clock",
     lambda path: _below_drivers(path) or path.startswith("tests/")),
    ("thread", r"\bstd::(?:thread|jthread|async)\b|\bpthread_create\b",
     "threads belong to node and to base/worker_pool",
     lambda path: _below_drivers(path) and not path.startswith("src/base/worker_pool.")),
]


def check_banned(path, text):
    if not is_cpp(path):
        return
    code = cpp_text.code_only(text)
    for rule, pattern, why, holds in BANNED:
        if holds(path):
            for match in re.finditer(pattern, code):
                yield Finding(path, line_of(code, match.start()), rule,
                              f"{match.group(0).strip()}: {why}")


# Sizes.

def check_sizes(path, text):
    if not is_code(path):
        return
    lines = text.splitlines()
    if len(lines) > FILE_LINES_MAX:
        yield Finding(path, len(lines), "file-length",
                      f"{len(lines)} lines; at most {FILE_LINES_MAX}: split it by idea")
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS_MAX:
            yield Finding(path, number, "line-length",
                          f"{len(line)} columns; at most {COLUMNS_MAX}")
    if is_cpp(path):
        for first, last, name in cpp_text.functions(text):
            if last - first + 1 > FUNCTION_LINES_MAX:
                yield Finding(path, first, "function-length",
                              f"{name} has {last - first + 1} lines; at most {FUNCTION_LINES_MAX}")


# Openings.

def _own_header(path, paths):
    """'src/nn/network.cpp' -> 'nn/network.hpp' when there is such a header."""
    header = path.removesuffix(".cpp") + ".hpp"
    return header.split("/", 1)[1] if header in paths else None


def check_openings(path, text, paths=frozenset()):
    if is_script(path):
        body = re.sub(r"^#![^\n]*\n", "", text)
        if not re.match(r'#|"""', body):
            yield Finding(path, 1, "opening", "begin with a comment that says what this is")
        return
    if not is_cpp(path):
        return
    own = _own_header(path, paths)
    if path.endswith(".hpp") and "\n#pragma once\n" not in "\n" + text:
        yield Finding(path, 1, "pragma-once", "a header has #pragma once")
    if not text.startswith("//") and not (path.endswith(".cpp") and own):
        yield Finding(path, 1, "opening", "begin with a comment that says what this is")
    if path.endswith(".cpp") and own:
        first = next(iter(cpp_text.includes(text)), (1, False, "nothing"))
        if first[1:] != (True, own):
            yield Finding(path, first[0], "own-header",
                          f'"{own}" is included first, not {first[2]}')


def check_file_name(path, _text):
    stem = os.path.basename(path).split(".")[0]
    if re.search(r"(?:^|_)(?:managers?|helpers?|utils?|utilit(?:y|ies)|misc|common)(?:_|$)", stem):
        yield Finding(path, 1, "file-name", f"'{stem}' names nothing: use the field's own words")


# Text that must not be committed.

MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|workspace|builds)/|\.\./shared\b")
FIXED_PATH = re.compile(r"(?<![\w.])/(?:tmp|home|root)/")  # in tests, an example of a path
OPEN_END = re.compile(r"\b(?:TODO(?!\((?:perf|test|cleanup)\): )|FIXME|XXX)\b")
URL = re.compile(r"\b(?:https?|ftp)://(?!127\.0\.0\.1|localhost)")


def check_words(path, text):
    if path.startswith("tests/tidy/"):
        return  # these files quote what they ban
    for match in MACHINE_PATH.finditer(text):
        yield Finding(path, line_of(text, match.start()), "machine-path",
                      f"{match.group(0)} is a path of one machine")
    if not path.startswith("tests/"):
        for match in FIXED_PATH.finditer(text):
            yield Finding(path, line_of(text, match.start()), "machine-path",
                          f"{match.group(0)} is not everybody's: ask the system (mktemp, $HOME)")
    for match in OPEN_END.finditer(text) if is_code(path) else ():
        yield Finding(path, line_of(text, match.start()), "todo",
                      "write TODO(perf|test|cleanup): and what is to be done")
    if is_script(path) or path.endswith((".cmake", "CMakeLists.txt")):
        for match in URL.finditer(text):
            yield Finding(path, line_of(text, match.start()), "url",
                          "scripts name no host: packages come by the machine's own tools")


# Links between pages, and from the code to pages.

PAGE = re.compile(r"(?<![\w./-])docs/[\w./-]+\.md\b")
LINK = re.compile(r"\]\((?![a-z]+:|#)([^)#\s]+)")


def check_links(path, text, paths):
    if path.startswith("tests/tidy/"):
        return
    for match in PAGE.finditer(text):
        if match.group(0) not in paths:
            yield Finding(path, line_of(text, match.start()), "link", f"no page {match.group(0)}")
    for match in LINK.finditer(text) if path.endswith(".md") else ():
        target = os.path.normpath(os.path.join(os.path.dirname(path), match.group(1)))
        if target not in paths and not any(other.startswith(target + "/") for other in paths):
            yield Finding(path, line_of(text, match.start()), "link", f"no file {target}")


# The tree.

RULES = [check_layers, check_namespace, check_banned, check_sizes, check_file_name, check_words]


def check_text(path, text, paths=frozenset()):
    """All findings in one file but for its formatting. `paths`: those of the whole tree."""
    findings = [finding for rule in RULES for finding in rule(path, text)]
    findings += check_openings(path, text, paths)
    findings += check_links(path, text, paths)
    return sorted(set(findings))


def check_formatting(root, paths):
    if shutil.which(CLANG_FORMAT) is None:
        yield Finding(CLANG_FORMAT, 0, "format", "not found; tools/setup installs it")
        return
    done = subprocess.run([CLANG_FORMAT, "--dry-run", "--Werror", "--ferror-limit=1", *paths],
                          cwd=root, capture_output=True, text=True, check=False)
    for match in re.finditer(r"^(\S+?):(\d+):\d+: error: ", done.stderr, re.MULTILINE):
        yield Finding(match.group(1), int(match.group(2)), "format",
                      f"run {CLANG_FORMAT} -i {match.group(1)}")
    if done.returncode != 0 and "error:" not in done.stderr:
        yield Finding(".clang-format", 1, "format", done.stderr.strip())


def tree_of(root):
    """The paths of all text files that the rules are for."""
    paths = [name for name in sorted(os.listdir(root))
             if os.path.isfile(os.path.join(root, name)) and not name.startswith(".git")]
    for top in ROOTS:
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders[:] = sorted(set(folders) - SKIPPED_FOLDERS)
            paths += [os.path.relpath(os.path.join(folder, name), root) for name in sorted(names)]
    return paths


def check_tree(root):
    paths = tree_of(root)
    known = frozenset(paths)
    findings = []
    for path in paths:
        try:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                findings += check_text(path, file.read(), known)
        except UnicodeDecodeError:
            if is_code(path):
                findings.append(Finding(path, 1, "encoding", "is not UTF-8"))
    findings += check_formatting(root, [path for path in paths if is_cpp(path)])
    return findings


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(here))
    findings = check_tree(root)
    for finding in findings:
        print(finding)
    print(f"tidy: {len(findings)} findings" if findings else "tidy: clean")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
