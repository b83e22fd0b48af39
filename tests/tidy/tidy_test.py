#!/usr/bin/env python3
"""Proves that every tidy rule fires on a small bad file, on the right line, and on no good file."""
import os
import tempfile
import unittest

import cpp_text
import tidy

OPENING = "// What it is.\n"


def rules_of(path, text, paths=frozenset()):
    return [(finding.line, finding.rule) for finding in tidy.check_text(path, text, paths)]


class Layers(unittest.TestCase):
    def offends(self, path, include, rule="layers"):
        text = OPENING + f"#include {include}\n"
        self.assertEqual(rules_of(path, text), [(2, rule)], f"{path} {include}")

    def passes(self, path, include):
        text = OPENING + f"#include {include}\n"
        self.assertEqual(rules_of(path, text), [], f"{path} {include}")

    def test_an_include_of_a_higher_layer_is_found(self):
        self.offends("src/base/a.cpp", '"compute/backend.hpp"')
        self.offends("src/compute/a.cpp", '"nn/network.hpp"')
        self.offends("src/peer/a.cpp", '"train/learner.hpp"')
        self.offends("src/sim/a.cpp", '"node/run/clock.hpp"')
        self.offends("src/node/a.cpp", '"sim/world.hpp"')
        self.offends("src/sim/a.cpp", '"worker/learner_worker.hpp"')
        self.offends("src/worker/a.cpp", '"train/run_facts.hpp"')
        self.offends("tests/nn/a_test.cpp", '"train/learner.hpp"')

    def test_a_room_is_not_included_from_the_rooms_before_it(self):
        self.offends("src/node/files/a.cpp", '"node/run/clock.hpp"')
        self.offends("src/node/run/a.cpp", '"node/cli/commands.hpp"')
        self.offends("src/train/score/a.cpp", '"train/lipizzaner/options.hpp"')
        self.passes("src/train/lipizzaner/a.cpp", '"train/score/scorer.hpp"')
        self.passes("src/node/cli/a.cpp", '"node/run/clock.hpp"')
        self.passes("src/node/spec/a.cpp", '"node/spec/run_spec.hpp"')
        self.passes("src/node/main.cpp", '"node/cli/commands.hpp"')

    def test_an_include_of_a_lower_layer_is_fine(self):
        self.passes("src/nn/a.cpp", '"compute/backend.hpp"')
        self.passes("src/node/a.cpp", '"train/learner.hpp"')
        self.passes("tests/nn/a_test.cpp", '"nn/network.hpp"')
        self.passes("tests/nn/a_test.cpp", '"support/scratch_directory.hpp"')
        self.passes("tests/bench/nn_bench.cpp", '"train/learner.hpp"')

    def test_the_two_columns_meet_only_at_the_learner(self):
        self.passes("src/train/a.cpp", '"peer/learner.hpp"')
        self.offends("src/train/a.cpp", '"peer/peer.hpp"')

    def test_a_library_stays_in_its_folder(self):
        self.passes("src/compute/cpu/gemm.cpp", "<dnnl.h>")
        self.offends("src/compute/gemm.cpp", "<dnnl.h>")
        self.offends("src/nn/a.cpp", "<oneapi/dnnl/dnnl.h>")
        self.passes("src/node/a.cpp", "<toml++/toml.h>")
        self.passes("tests/node/a_test.cpp", "<png.h>")
        self.offends("src/data/a.cpp", "<nlohmann/json.hpp>")
        self.offends("src/base/a.cpp", "<boost/test/unit_test.hpp>")
        self.offends("src/nn/a.cpp", "<unistd.h>")
        self.passes("src/swarm/main.cpp", "<unistd.h>")
        self.offends("src/swarm/progress.cpp", "<unistd.h>")

    def test_a_library_stays_out_of_headers(self):
        text = OPENING + "#pragma once\n#include <Eigen/Dense>\n"
        self.assertEqual(rules_of("src/train/score/a.hpp", text), [(3, "layers")])

    def test_an_unknown_library_is_found(self):
        self.offends("src/node/a.cpp", "<curl/curl.h>")

    def test_a_namespace_is_the_modules(self):
        self.assertEqual(rules_of("src/nn/a.cpp", OPENING + "namespace quadrille::train {\n}\n"),
                         [(2, "namespace")])
        self.assertEqual(rules_of("src/nn/a.cpp", OPENING + "namespace quadrille::nn {\n}\n"), [])
        self.assertEqual(rules_of("src/base/a.cpp", OPENING + "namespace quadrille {\n}\n"), [])


class Banned(unittest.TestCase):
    def offends(self, path, code, rule):
        self.assertEqual(rules_of(path, OPENING + code + "\n"), [(2, rule)], code)

    def passes(self, path, code):
        self.assertEqual(rules_of(path, OPENING + code + "\n"), [], code)

    def test_clocks_below_the_drivers(self):
        for code in ["auto t = std::chrono::steady_clock::now();", "clock_gettime(1, &t);",
                     "auto t = time(nullptr);", "auto t = std::time(0);",
                     "auto t = std::clock();"]:
            self.offends("src/train/a.cpp", code, "clock")
            self.passes("src/node/a.cpp", code)
            self.offends("src/sim/a.cpp", code, "clock")
        self.passes("src/peer/a.cpp", "auto t = timer.time();")
        self.passes("src/peer/a.cpp", "auto t = run_time(0);")
        self.passes("src/peer/a.cpp", "Kernels clock();")

    def test_randomness_that_no_seed_replays(self):
        for code in ["std::random_device d;", "std::mt19937_64 e;", "auto r = rand();",
                     "std::normal_distribution<float> n;", "std::shuffle(a, b, c);"]:
            self.offends("src/nn/a.cpp", code, "random")
            self.offends("tests/nn/a_test.cpp", code, "random")

    def test_sleeps(self):
        for code in ["std::this_thread::sleep_for(x);", "usleep(5);", "::sleep(1);"]:
            self.offends("src/peer/a.cpp", code, "sleep")
            self.offends("tests/node/a_test.cpp", code, "sleep")
            self.passes("src/node/a.cpp", code)

    def test_threads(self):
        self.offends("src/data/a.cpp", "std::jthread t;", "thread")
        self.offends("src/data/a.cpp", "auto f = std::async(g);", "thread")
        self.passes("src/base/worker_pool.cpp", "std::thread t;")

    def test_words_in_comments_and_strings_are_no_calls(self):
        self.passes("src/nn/a.cpp", "// std::random_device would not replay.")
        self.passes("src/nn/a.cpp", 'const char* s = "sleep(1)";')
        self.passes("src/nn/a.cpp", 'const char* s = R"x(\nsleep(1) " )x";')
        self.passes("src/nn/a.cpp", "int n = 1'000; /* sleep(1) */ char c = '\"';")


class Sizes(unittest.TestCase):
    def test_a_file_too_long(self):
        self.assertEqual(rules_of("src/nn/a.cpp", OPENING + "\n" * 600), [(601, "file-length")])
        self.assertEqual(rules_of("src/nn/a.cpp", OPENING + "\n" * 599), [])

    def test_a_line_too_long(self):
        self.assertEqual(rules_of("src/nn/a.cpp", OPENING + "/" * 101), [(2, "line-length")])
        self.assertEqual(rules_of("cmake/a.cmake", "#" * 101), [(1, "line-length")])
        self.assertEqual(rules_of("docs/a.md", "#" * 101), [])

    def test_a_function_too_long(self):
        body = "  f();\n" * 69
        function = "namespace quadrille::nn {\nint g(int a) {\n" + body + "}\n}\n"
        self.assertEqual(rules_of("src/nn/a.cpp", OPENING + function), [(3, "function-length")])
        method = "class A {\n  A() : a_{1}, b_(2) {\n" + body + "  }\n};\n"
        found = rules_of("src/nn/a.cpp", OPENING + method)
        self.assertIn("function-length", [rule for _, rule in found])

    def test_what_is_no_function_may_be_long(self):
        table = "constexpr int table[] = {\n" + "  1,\n" * 80 + "};\n"
        struct = "struct A {\n" + "  int a;\n" * 80 + "};\n"
        space = "MACRO(a)\nnamespace {\n" + "int f();\n" * 80 + "}\n"
        for text in [table, struct, space]:
            self.assertEqual(rules_of("src/nn/a.cpp", OPENING + text), [])

    def test_functions_are_found_with_their_lines(self):
        text = ("void f() {\n  if (a) {\n  }\n}\n"
                "#define M(x) {\n"
                "struct S {\n  int g() const { return 1; }\n  int a{3};\n};\n"
                "BOOST_AUTO_TEST_CASE(a_name) {\n}\n")
        self.assertEqual(cpp_text.functions(text), [(1, 4, "f"), (7, 7, "g"), (10, 11, "a_name")])


class Openings(unittest.TestCase):
    def test_a_header_without_pragma_once(self):
        self.assertEqual(rules_of("src/nn/a.hpp", OPENING), [(1, "pragma-once")])

    def test_a_file_that_does_not_say_what_it_is(self):
        self.assertEqual(rules_of("src/nn/a.hpp", "#pragma once\n"), [(1, "opening")])
        self.assertEqual(rules_of("src/nn/a.cpp", "int a;\n"), [(1, "opening")])
        self.assertEqual(rules_of("tools/a", "#!/usr/bin/env bash\nset -e\n"), [(1, "opening")])
        self.assertEqual(rules_of("tools/a", "#!/usr/bin/env bash\n# Does a.\n"), [])

    def test_the_own_header_comes_first(self):
        headers = frozenset(["src/nn/a.hpp"])
        good = '#include "nn/a.hpp"\n\n#include <vector>\n'
        bad = '#include <vector>\n#include "nn/a.hpp"\n'
        self.assertEqual(rules_of("src/nn/a.cpp", good, headers), [])
        self.assertEqual(rules_of("src/nn/a.cpp", bad, headers), [(1, "own-header")])
        self.assertEqual(rules_of("src/nn/a.cpp", "int a;\n", headers), [(1, "own-header")])

    def test_a_name_that_names_nothing(self):
        for name in ["string_utils.cpp", "helpers.cpp", "peer_manager.cpp"]:
            self.assertEqual(rules_of("src/nn/" + name, OPENING), [(1, "file-name")])


class Words(unittest.TestCase):
    def test_paths_of_one_machine(self):
        self.assertEqual(rules_of("tools/a", "# See /workspace/x.\n"), [(1, "machine-path")])
        self.assertEqual(rules_of("docs/a.md", "\nSee ../shared/x.\n"), [(2, "machine-path")])
        self.assertEqual(rules_of("tools/a", "# x\nrm /tmp/x\n"), [(2, "machine-path")])
        self.assertEqual(rules_of("docs/a.md", "src/network/x and a/tmp/b\n"), [])

    def test_open_ends_without_a_kind(self):
        self.assertEqual(rules_of("src/nn/a.cpp", "// TODO: later\n"), [(1, "todo")])
        self.assertEqual(rules_of("src/nn/a.cpp", "// FIXME\n"), [(1, "todo")])
        self.assertEqual(rules_of("src/nn/a.cpp", "// TODO(perf): fuse it.\n"), [])

    def test_links_that_lead_nowhere(self):
        paths = frozenset(["docs/a.md", "docs/b/c.md", "README.md"])
        self.assertEqual(rules_of("src/nn/a.cpp", "// See docs/x.md.\n", paths), [(1, "link")])
        self.assertEqual(rules_of("src/nn/a.cpp", "// See docs/b/c.md.\n", paths), [])
        self.assertEqual(rules_of("docs/a.md", "\n[x](b/x.md)\n", paths), [(2, "link")])
        good = "[c](b/c.md#part) [b](b) [r](../README.md) [w](https://example.org) [h](#here)\n"
        self.assertEqual(rules_of("docs/a.md", good, paths), [])

    def test_hosts_in_scripts(self):
        self.assertEqual(rules_of("tools/a", "# x\ncurl https://example.org/x\n"), [(2, "url")])
        self.assertEqual(rules_of("docs/a.md", "https://example.org/x\n"), [])


class Tree(unittest.TestCase):
    def test_a_tree_is_walked_and_its_formatting_compared(self):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "src/nn"))
            with open(os.path.join(root, ".clang-format"), "w", encoding="utf-8") as file:
                file.write("BasedOnStyle: Google\n")
            with open(os.path.join(root, "src/nn/a.cpp"), "w", encoding="utf-8") as file:
                file.write("// What it is.\nint  a;\n// TODO: x\n")
            found = [finding[:3] for finding in tidy.check_tree(root)]
        self.assertEqual(found, [("src/nn/a.cpp", 3, "todo"), ("src/nn/a.cpp", 2, "format")])


if __name__ == "__main__":
    unittest.main()
