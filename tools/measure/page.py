"""Pages with tables between marks, which are written here; all else is people's."""
import os
import re

from measure.programs import Failed


def find_section(page, name):
    """The page's text, and where in it the marks of that name are: a match with the body as [2]."""
    text = page.read_text()
    found = re.search(rf"(<!-- {name} -->\n)(.*?)(<!-- /{name} -->)", text, re.S)
    if not found:
        raise Failed(f"docs/{page.name} has no <!-- {name} --> ... <!-- /{name} --> to fill")
    return text, found


def write_section(page, name, body):
    """Puts a text between its marks. Whole or not at all: the page is replaced, not edited."""
    text, found = find_section(page, name)
    new = page.with_suffix(".md.new")
    new.write_text(text[:found.start(2)] + body + "\n" + text[found.end(2):])
    os.replace(new, page)


def rows(page, name):
    """The cells of the table that is there, without its head."""
    lines = find_section(page, name)[1][2].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def table(head, rows):
    """Markdown; cells are texts."""
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " --- |" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])
