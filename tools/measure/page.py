"""docs/performance.md: tables between marks, which are written here; all else is people's."""
import os
import re

from measure.programs import ROOT, Failed

PAGE = ROOT / "docs/performance.md"


def write_sections(sections):
    """Puts each text between its marks. Whole or not at all: the page is replaced, not edited."""
    text = PAGE.read_text()
    for name, body in sections.items():
        marked = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.S)
        if not marked.search(text):
            raise Failed(f"docs/performance.md has no <!-- {name} --> ... <!-- /{name} --> to fill")
        text = marked.sub(lambda found, body=body: found[1] + body + "\n" + found[2], text)
    new = PAGE.with_suffix(".md.new")
    new.write_text(text)
    os.replace(new, PAGE)


def table(head, rows):
    """Markdown; cells are texts."""
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " --- |" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])
