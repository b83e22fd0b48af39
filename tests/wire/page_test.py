"""The tables in schemas/README.md are those of the code: limits of src/wire/limits.hpp and types of
frames of src/wire/frame_type.hpp, none left out."""
import os
import re
import sys
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def limits_of_code():
    limits = {}
    for name, value in re.findall(r"inline constexpr \S+ (\w+) =\s*([^;]+);",
                                  read("src", "wire", "limits.hpp")):
        plain = re.sub(r"std::\w+\{(\w+)\}", r"\1", value)
        limits[name] = eval(plain, {"__builtins__": {}}, dict(limits))
    return limits


def limits_of_page():
    rows = re.findall(r"^\| `(\w+)` \| ([\d,]+) \|", read("schemas", "README.md"), re.MULTILINE)
    return {name: int(value.replace(",", "")) for name, value in rows}


def frame_types_of_code():
    enum = re.search(r"enum class FrameType .*?\{(.*?)\};", read("src", "wire", "frame_type.hpp"),
                     re.DOTALL).group(1)
    return {name: int(number) for name, number in re.findall(r"(\w+) = (\d+),", enum)}


def frame_types_of_page():
    """Name -> number and what the table says of the body."""
    rows = re.findall(r"^\| (\d+) \| `([A-Z]\w+)` \| (.*) \|$", read("schemas", "README.md"),
                      re.MULTILINE)
    return {name: (int(number), body) for number, name, body in rows}


class FrameTypesPage(unittest.TestCase):
    def test_the_page_has_every_type_and_no_other(self):
        code = frame_types_of_code()
        self.assertGreater(len(code), 20)
        self.assertEqual({name: row[0] for name, row in frame_types_of_page().items()}, code)

    def test_a_body_is_a_table_of_the_schema_that_stands_beside_it(self):
        for name, (_, body) in frame_types_of_page().items():
            if name == "Chunk":
                continue
            table, schema = re.fullmatch(r"(?:(\w+) of )?`(\w+\.fbs)`", body).groups()
            self.assertIn(f"table {table or name} {{", read("schemas", schema))


class LimitsPage(unittest.TestCase):
    def test_the_page_has_every_limit_and_no_other(self):
        code = {name: value for name, value in limits_of_code().items()
                if not name.startswith("protocol_version_")}
        self.assertGreater(len(code), 20)
        self.assertEqual(limits_of_page(), code)


if __name__ == "__main__":
    sys.exit(unittest.main())
