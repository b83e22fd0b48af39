// What makes two runs the same run.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>

#include "node/spec/run_keys.hpp"
#include "node/spec/run_spec.hpp"

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(run_spec_id_test)

namespace {

std::string id_of(const std::string& text) {
  const auto spec = parse_run_spec(text, "run.toml");
  BOOST_REQUIRE_MESSAGE(spec.has_value(), (spec ? "" : spec.error().detail));
  return run_id(*spec);
}

// Any other value that the key may have; its meaning in the run does not matter here.
KeyValue other_value(const Key& key, const KeyValue& value) {
  if (const auto* range = std::get_if<WholeNumber>(&key.kind))
    return std::get<std::uint64_t>(value) == range->max ? range->min : range->max;
  if (const auto* range = std::get_if<RealNumber>(&key.kind))
    return std::get<double>(value) == range->max ? range->min : range->max;
  if (std::holds_alternative<Flag>(key.kind)) return !std::get<bool>(value);
  if (const auto* choice = std::get_if<Choice>(&key.kind)) {
    // The second last: the last of some is "auto", which is the default and means the first.
    const std::size_t names = choice->names.size();
    const std::string last(choice->names[names - 1]);
    const bool is_last = std::get<std::string>(value) == last;
    return is_last && names > 1 ? std::string(choice->names[names - 2]) : last;
  }
  if (std::holds_alternative<TextList>(key.kind)) return std::vector<std::string>{"host:1"};
  return std::string("other");
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_id_is_pinned) {
  // A change here makes every run that anybody has another run: count defaults_version up.
  BOOST_TEST(id_of("[run]\nname = \"x\"\n") == "bf307e6dce5326b7b36c9620351081c1");
  BOOST_TEST(id_of("[run]\nname = \"x\"\nseed = 2\n[algorithm]\nloss = \"hinge\"\n") ==
             "5aa1ff8d1cc895b48ec7e768db181a68");
}

BOOST_AUTO_TEST_CASE(a_changed_default_of_a_learning_key_needs_a_new_version_of_the_defaults) {
  std::string defaults = std::to_string(defaults_version) + ":";
  for (const Key& key : run_keys()) {
    if (key.in_id == InId::Yes && key.table() != "run")
      defaults.append(" ").append(key.name()).append("=").append(value_text(key.get(RunSpec{})));
  }
  BOOST_TEST(defaults ==
             R"(1: neighbourhood="cross" radius=1 kind="lipizzaner" sync=false batch_size=100 )"
             R"(batches_per_generation=0 discriminator_skip=0 opponents="random" loss="bce" )"
             R"(weight_clip=0.0 optimizer="adam" generator_learning_rate=2e-04 )"
             R"(discriminator_learning_rate=2e-04 beta1=0.5 beta2=0.999 epsilon=1e-08 )"
             R"(fitness="average" fitness_sample_size=1000 selection=true tournament_size=2 )"
             R"(mutation_probability=0.5 mutation_sigma=0.1 mixture_sigma=0.01 score="auto" )"
             R"(score_sample_size=1000 moments=false name="auto" latent_size=64 name="fashion-)"
             R"(mnist" fraction=1.0 partition="all" count=50000 sigma=0.0 radius=0.0 spacing=0.0 )"
             R"(scale=0.0 codec="int8-difference")");
}

BOOST_AUTO_TEST_CASE(order_comments_and_written_defaults_do_not_change_it) {
  const std::string id = id_of(
      "[run]\nname = \"x\"\n[algorithm]\nsync = true\n[model]\n"
      "latent_size = 32\n");
  BOOST_TEST(id ==
             id_of("# A comment.\nmodel = { latent_size = 32 }\n[algorithm]\nsync = true # !\n"
                   "[run]\nname = 'x'\n"));
  BOOST_TEST(id == id_of("[run]\nname = \"x\"\nseed = 1\n[algorithm]\nsync = true\nloss = \"bce\"\n"
                         "learning_rate = 2e-4\nbeta2 = 0.9990\n[model]\nlatent_size = 32\n"));
}

BOOST_AUTO_TEST_CASE(the_effective_file_has_the_same_id) {
  const std::string text =
      "[run]\nname = \"x\"\n[data]\nname = \"ring8\"\nsigma = 0.3\n[algorithm]\nbeta1 = 0.3\n";
  const RunSpec spec = parse_run_spec(text, "run.toml").value();
  BOOST_TEST(id_of(effective_run_file(spec)) == run_id(spec));
}

BOOST_AUTO_TEST_CASE(name_seed_tag_and_every_learning_key_change_it_and_no_other_does) {
  const RunSpec usual = parse_run_spec("[run]\nname = \"x\"\n", "run.toml").value();
  for (const Key& key : run_keys()) {
    if (key.shorthand || key.path == "algorithm.kind") continue;  // one algorithm is all there is
    RunSpec other = usual;
    key.set(other, other_value(key, key.get(usual)));
    BOOST_TEST((key.get(other) != key.get(usual)), key.path << " has another value");
    BOOST_TEST((run_id(other) != run_id(usual)) == (key.in_id == InId::Yes), key.path);
  }
}

BOOST_AUTO_TEST_CASE(generations_grid_size_paths_and_output_are_outside_of_it) {
  for (const std::string_view path :
       {"run.generations", "run.seeds", "grid.rows", "grid.columns", "data.path", "exchange.zstd",
        "output.sheet_every", "output.sheet_size", "output.checkpoint_every",
        "output.checkpoints_kept"}) {
    const Key* key = find_key(path);
    BOOST_REQUIRE_MESSAGE(key != nullptr, path);
    BOOST_TEST((key->in_id == InId::No), path);
  }
  BOOST_TEST(std::ranges::count(run_keys(), InId::No, &Key::in_id) == 11);  // and the shorthand
}

BOOST_AUTO_TEST_CASE(a_difference_names_the_keys_that_make_it) {
  const auto difference = [](const std::string& there, const std::string& here) {
    return id_difference(parse_run_spec("run.name = \"x\"\n" + there, "").value(),
                         parse_run_spec("run.name = \"x\"\n" + here, "").value());
  };
  BOOST_TEST(difference("run.seed = 7", "run.seed = 8") == "run.seed is 7 there and 8 here");
  BOOST_TEST(difference("algorithm.loss = \"hinge\"", "run.generations = 3") ==
             "algorithm.loss is \"hinge\" there and \"bce\" here");
  BOOST_TEST(difference("algorithm.score = \"frechet\"", "") == "");
  const std::string others = "run.seed = 8\nalgorithm.beta1 = 0\nalgorithm.beta2 = 0";
  BOOST_TEST(difference("algorithm.sync = true\nalgorithm.batch_size = 9", others) ==
             "run.seed is 1 there and 8 here, algorithm.sync is true there and false here, "
             "algorithm.batch_size is 9 there and 100 here and 2 more");
}

BOOST_AUTO_TEST_CASE(auto_and_what_it_stands_for_are_one_run) {
  const std::string named = "[run]\nname = \"x\"\n";
  const std::string ring = named + "[data]\nname = \"ring8\"\n";
  BOOST_TEST(id_of(named) == id_of(named + "[algorithm]\nscore = \"frechet\"\n"));
  BOOST_TEST(id_of(named) != id_of(named + "[algorithm]\nscore = \"tvd\"\n"));
  BOOST_TEST(id_of(ring) ==
             id_of(ring + "[model]\nname = \"toy\"\n[algorithm]\nscore = \"modes\"\n"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node
