"""The table of limits in schemas/README.md is that of src/wire/limits.hpp, none left out."""
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


class LimitsPage(unittest.TestCase):
    def test_the_page_has_every_limit_and_no_other(self):
        code = {name: value for name, value in limits_of_code().items()
                if not name.startswith("protocol_version_")}
        self.assertGreater(len(code), 20)
        self.assertEqual(limits_of_page(), code)


if __name__ == "__main__":
    sys.exit(unittest.main())
