"""What schemas of today may differ in from those of a release: the rules of schemas/README.md.

`flatc --conform` (2.0.8) finds fields that moved or changed type or default, and values of enums
and unions that have another number. It misses the last field removed, values and members removed,
structs that grew, `required`, another identifier or root, and types removed: those are found here,
in the text.

    tests/wire/schema_rules.py OLD_FOLDER NEW_FOLDER    prints what is wrong; exit code 1 if any

One style of schemas is all that is understood: `kind Name: base { entries }`.
"""
import os
import re
import subprocess
import sys
from typing import NamedTuple


class Field(NamedTuple):
    name: str
    type: str
    id: int | None
    attributes: frozenset


class Schema(NamedTuple):
    """One file: its types by name, and what stands at its end."""
    tables: dict
    structs: dict
    enums: dict  # of (name, value) pairs
    unions: dict  # of member names
    root: str | None
    identifier: str | None


def _entries(body, separator):
    return [entry.strip() for entry in body.split(separator) if entry.strip()]


def _field(text):
    match = re.fullmatch(r"(\w+)\s*:\s*([^=()]+?)\s*(=[^()]+?)?\s*(\(([^)]*)\))?", text)
    if match is None:
        raise ValueError(f"not a field: {text}")
    attributes = dict([*map(str.strip, attribute.split(":")), None][:2]
                      for attribute in _entries(match[5] or "", ","))
    number = attributes.pop("id", None)
    return Field(match[1], match[2] + (match[3] or ""), None if number is None else int(number),
                 frozenset(attributes))


def parse(text):
    text = re.sub(r"//[^\n]*", "", text)
    kinds = {"table": {}, "struct": {}, "enum": {}, "union": {}}
    for kind, name, _, body in re.findall(
            r"\b(table|struct|enum|union)\s+(\w+)\s*(:\s*\w+\s*)?\{([^}]*)\}", text):
        if kind in ("table", "struct"):
            kinds[kind][name] = [_field(entry) for entry in _entries(body, ";")]
        elif kind == "enum":
            kinds[kind][name] = [tuple(map(str.strip, (entry + "=").split("=")[:2]))
                                 for entry in _entries(body, ",")]
        else:
            kinds[kind][name] = _entries(body, ",")
    root = re.search(r"\broot_type\s+(\w+)\s*;", text)
    identifier = re.search(r'\bfile_identifier\s+"([^"]*)"\s*;', text)
    return Schema(kinds["table"], kinds["struct"], kinds["enum"], kinds["union"],
                  root and root[1], identifier and identifier[1])


def read_folder(folder):
    """{file name: Schema}"""
    schemas = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".fbs"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                schemas[name] = parse(file.read())
    return schemas


def _merged(schemas, kind):
    return {name: value for schema in schemas.values()
            for name, value in getattr(schema, kind).items()}


def _reaches(tables, unions, start):
    """The tables that a message of this table can hold, at any depth."""
    found, waiting = set(), [start]
    while waiting:
        for field in tables.get(waiting.pop(), []):
            element = field.type.strip("[]")
            for name in unions.get(element, [element]):
                if name in tables and name not in found:
                    found.add(name)
                    waiting.append(name)
    return found


def style_problems(schemas):
    """Rules that need no release to compare with."""
    tables, unions = _merged(schemas, "tables"), _merged(schemas, "unions")
    for table, fields in tables.items():
        for field in fields:
            if field.id is None:
                yield f"{table}.{field.name} has no id"
            if "required" in field.attributes:
                yield f"{table}.{field.name} is required: no version could ever do without it"
        if table in _reaches(tables, unions, table):
            yield f"{table} can hold itself: a message could nest without end"
    for enum, values in _merged(schemas, "enums").items():
        if values[:1] != [("Unknown", "0")]:
            yield f"{enum} does not begin with Unknown = 0, which a later version's values become"
        for name, value in values:
            if value == "":
                yield f"{enum}.{name} has no explicit value"


def _changed_fields(table, old, new):
    by_id = {field.id: field for field in new}
    for field in old:
        now = by_id.get(field.id)
        if now is None:
            yield f"{table}.{field.name} is gone: mark it deprecated instead"
        elif now.type != field.type:
            yield f"{table}.{field.name} was {field.type} and is {now.type}"
        elif now.attributes - {"deprecated"} != field.attributes - {"deprecated"}:
            yield f"{table}.{field.name} has other attributes"


def changes(old, new):
    """What messages of either would not survive."""
    for name, schema in old.items():
        if name not in new:
            yield f"{name} is gone"
            continue
        for what in ("root", "identifier"):
            before, after = getattr(schema, what), getattr(new[name], what)
            if before != after:
                yield f"the {what} of {name} was {before} and is {after}"
    for kind in ("tables", "structs", "enums", "unions"):
        before, after = _merged(old, kind), _merged(new, kind)
        for name, content in before.items():
            if name not in after:
                yield f"{name} is gone"
            elif kind == "tables":
                yield from _changed_fields(name, content, after[name])
            elif kind == "structs":
                if [field.type for field in content] != [field.type for field in after[name]]:
                    yield f"struct {name} has changed, and no struct may"
            elif kind == "enums":
                if not set(value for _, value in content) <= set(value for _, value in after[name]):
                    yield f"{name} has lost a value"
            elif after[name][:len(content)] != content:
                yield f"union {name} has changed: members are only appended"


def conform_problems(flatc, old_folder, new_folder):
    """What flatc itself finds."""
    for name in sorted(os.listdir(old_folder)):
        if not name.endswith(".fbs") or not os.path.exists(os.path.join(new_folder, name)):
            continue
        done = subprocess.run(
            [flatc, "--conform", os.path.join(old_folder, name), "--conform-includes", old_folder,
             "-I", new_folder, os.path.join(new_folder, name)],
            capture_output=True, text=True, check=False)
        if done.returncode != 0:
            yield f"flatc: {(done.stdout + done.stderr).strip()}"


def problems(flatc, old_folder, new_folder):
    old, new = read_folder(old_folder), read_folder(new_folder)
    return [*style_problems(new), *changes(old, new),
            *conform_problems(flatc, old_folder, new_folder)]


if __name__ == "__main__":
    found = problems(os.environ.get("QUADRILLE_FLATC", "flatc"), sys.argv[1], sys.argv[2])
    print("\n".join(found))
    sys.exit(1 if found else 0)
