"""Pages with tables between marks, which are written here; all else is people's."""
import os
import re

from measure.programs import Failed


def write_section(page, name, body):
    """Puts a text between its marks. Whole or not at all: the page is replaced, not edited."""
    text = page.read_text()
    marked = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.S)
    if not marked.search(text):
        raise Failed(f"docs/{page.name} has no <!-- {name} --> ... <!-- /{name} --> to fill")
    new = page.with_suffix(".md.new")
    new.write_text(marked.sub(lambda found: found[1] + body + "\n" + found[2], text))
    os.replace(new, page)


def table(head, rows):
    """Markdown; cells are texts."""
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " --- |" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])
