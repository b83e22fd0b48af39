// The rows of all tables but [algorithm]. Each names its field once, and reads and writes it
// through that name.
#include "node/spec/run_keys.hpp"

#include <limits>

#include "base/utf8.hpp"
#include "node/spec/run_key_rows.hpp"

namespace quadrille::node {
namespace {

using std::string_view_literals::operator""sv;

// Names in the order of their enums.
constexpr std::array neighbourhood_names{"cross"sv, "ring"sv, "moore"sv, "transposed-cross"sv};
constexpr std::array partition_names{"all"sv, "label"sv};

// "auto" is no model but a choice of its own.
constexpr std::array model_names{"mlp"sv, "toy"sv, "auto"sv};
constexpr std::size_t auto_model_index = model_names.size() - 1;

bool is_name(std::string_view text) {
  const auto alphanumeric = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !text.empty() && alphanumeric(text.front()) && std::ranges::all_of(text, [&](char c) {
    return alphanumeric(c) || c == '.' || c == '_' || c == '-';
  });
}

bool is_name_or_empty(std::string_view text) {
  return text.empty() || is_name(text);
}

// A run file is UTF-8, and what is written there has to be read again.
bool is_path(std::string_view text) {
  return is_utf8(text) && std::ranges::none_of(text, [](char c) { return c >= 0 && c < ' '; });
}

// What stands behind the last colon, where something stands before it.
std::optional<std::string_view> port_text(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  return text.substr(colon + 1);
}

bool is_port(std::string_view digits) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  return error == std::errc{} && end == digits.data() + digits.size() && port > 0;
}

bool is_host_and_port(std::string_view text) {
  const auto port = port_text(text);
  return port && is_port(*port) && std::ranges::none_of(text, [](char c) { return c <= ' '; });
}

std::optional<std::string> port_slip(std::string_view text) {
  const auto port = port_text(text);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!port || port->empty() || !std::ranges::all_of(*port, is_digit) || is_port(*port))
    return std::nullopt;
  return "a port is 1 to " + std::to_string(std::numeric_limits<std::uint16_t>::max());
}

constexpr std::string_view name_form = "letters, digits, '.', '_' and '-', a letter or digit first";
constexpr Text name_text{64, is_name, name_form};
constexpr Text tag_text{64, is_name_or_empty, name_form};
constexpr Text path_text{4096, is_path, "a path in UTF-8, without control characters"};
constexpr TextList seeds_list{64, {255, is_host_and_port, "HOST:PORT", port_slip}};

constexpr Condition of_ring{[](const RunSpec& spec) {
                              return spec.lipizzaner.neighbourhood ==
                                     train::NeighbourhoodKind::Ring;
                            },
                            "only a ring has a radius; set grid.neighbourhood = \"ring\""};
constexpr Condition of_synthetic{
    [](const RunSpec& spec) { return data::is_synthetic(spec.data.name); },
    "only the synthetic sets, ring8 and grid25, have one"};
constexpr Condition of_grid25{[](const RunSpec& spec) { return spec.data.name == "grid25"; },
                              "only grid25 has a spacing"};
constexpr Condition of_ring8{[](const RunSpec& spec) { return spec.data.name == "ring8"; },
                             "only ring8 has a radius"};
constexpr Condition of_files{
    [](const RunSpec& spec) { return !data::is_synthetic(spec.data.name); },
    "a synthetic set is computed and not read"};

// JSON readers keep whole numbers up to there.
constexpr std::uint64_t seed_max = std::uint64_t{1} << 53;
constexpr WholeNumber any_count{1, 1'000'000'000};

Key seeds_key() {
  return {
      .path = "run.seeds",
      .kind = seeds_list,
      .get = [](const RunSpec& spec) -> KeyValue { return spec.seeds; },
      .set = [](RunSpec& spec,
                const KeyValue& value) { spec.seeds = std::get<std::vector<std::string>>(value); },
      .in_id = InId::No,
      .need = {},
      .meaning =
          "Peers to ask first, each \"HOST:PORT\". Not used by this version, which "
          "trains on one machine"};
}

Key model_key() {
  return {.path = "model.name",
          .kind = Choice{model_names},
          .get = [](const RunSpec& spec) -> KeyValue {
            return spec.model_auto ? std::string(model_names[auto_model_index])
                                   : spec.lipizzaner.model;
          },
          .set =
              [](RunSpec& spec, const KeyValue& value) {
                spec.model_auto = index_in(model_names, value) == auto_model_index;
                if (!spec.model_auto) spec.lipizzaner.model = std::get<std::string>(value);
              },
          .in_id = InId::Yes,
          .need = {},
          .meaning =
              "The pair of networks: \"mlp\" for images, \"toy\" for 2-D points. \"auto\" "
              "chooses by the data"};
}

std::vector<Key> run_and_grid_keys() {
  return {
      text("run.name", FIELD(name), name_text, InId::Yes,
           "Names the run and its directory. Every run file has one"),
      whole("run.seed", FIELD(run.seed), {0, seed_max}, InId::Yes,
            {"", "Every random number of the run follows from it"}),
      text("run.tag", FIELD(tag), tag_text, InId::Yes,
           "Tells apart two runs that are otherwise the same"),
      whole("run.generations", FIELD(run.generations), any_count, InId::No,
            {"a run takes {} generations", "How long to train. `peer extend` adds some later"}),
      seeds_key(),
      whole("grid.rows", FIELD(run.grid.rows), {1, 1024}, InId::No,
            {"a grid needs {} rows", "Rows of the torus"}),
      whole("grid.columns", FIELD(run.grid.columns), {1, 1024}, InId::No,
            {"a grid needs {} columns", "Columns of the torus"}),
      choice<neighbourhood_names>(
          "grid.neighbourhood", FIELD(lipizzaner.neighbourhood),
          "Whose snapshots a cell reads: \"cross\", the cells W, N, E and S of it; \"moore\", the "
          "eight around it; \"ring\", the next ones in row-major order (Lipi-Ring); "
          "\"transposed-cross\", the cross around the mirrored cell of a square grid, a fault of "
          "the original kept for comparisons"),
      whole("grid.radius", FIELD(lipizzaner.radius), {1, 512}, InId::Yes,
            {"", "Cells on each side of a ring's neighbourhood"}, of_ring),
  };
}

std::vector<Key> model_and_data_keys() {
  return {
      model_key(),
      whole("model.latent_size", FIELD(lipizzaner.latent_size), {1, 4096}, InId::Yes,
            {"", "Numbers of the noise that a generator makes a sample from"}),
      text(
          "data.name", FIELD(data.name), name_text, InId::Yes,
          "The data set: fashion-mnist, mnist, kmnist, emnist-letters (and its five others); ring8 "
          "and grid25, which are computed; or any name of IDX files of your own"),
      text("data.path", FIELD(data.path), path_text, InId::No,
           "Directory of its files, or of several sets. Empty: data/ and where the system keeps it",
           of_files),
      real("data.fraction", FIELD(run.data_fraction), {1e-6, 1},
           {"", "Below 1, each cell sees its own random share of the data"}),
      choice<partition_names>("data.partition", FIELD(run.partition),
                              "\"label\" gives each cell its own share of the classes"),
      whole("data.count", FIELD(data.synthetic.count), {100, data::synthetic_count_max}, InId::Yes,
            {"a synthetic set has {} points", "Points of a synthetic set"}, of_synthetic),
      published("data.sigma", FIELD(data.synthetic.sigma),
                "Standard deviation of each of a synthetic set's Gaussians. 0: as published",
                of_synthetic),
      published("data.radius", FIELD(data.synthetic.radius),
                "Radius of the circle on which ring8's Gaussians stand. 0: as published", of_ring8),
      published("data.spacing", FIELD(data.synthetic.spacing),
                "Distance between grid25's Gaussians. 0: as published", of_grid25),
      published("data.scale", FIELD(data.synthetic.scale),
                "What all points are multiplied by in the end; 0.2 fits either set to a tanh. 0: "
                "as published",
                of_synthetic),
  };
}

std::vector<Key> exchange_and_output_keys() {
  return {
      choice<codec::codec_names>("exchange.codec", FIELD(exchange.kind),
                                 "How weights travel between cells, also within one process"),
      flag("exchange.zstd", FIELD(exchange.zstd), InId::No,
           "Compress what the codec leaves once more, without loss"),
      whole("output.sheet_every", FIELD(output.sheet_every), count_or_zero, InId::No,
            {"", "Generations between two sheets of samples. 0: only at the end"}),
      whole("output.sheet_size", FIELD(output.sheet_size), {1, 1024}, InId::No,
            {"a sheet shows {} images", "Images on a sheet"}),
      whole("output.checkpoint_every", FIELD(output.checkpoint_every), count_or_zero, InId::No,
            {"", "Generations between two checkpoints. 0: only at the end"}),
      whole("output.checkpoints_kept", FIELD(output.checkpoints_kept), {1, 1000}, InId::No,
            {"", "Older checkpoints of the run are removed"}),
  };
}

std::vector<Key> all_keys() {
  std::vector<Key> keys;
  for (const auto& part :
       {run_and_grid_keys(), algorithm_keys(), model_and_data_keys(), exchange_and_output_keys()})
    keys.insert(keys.end(), part.begin(), part.end());
  return keys;
}

constexpr std::array tables{
    KeyTable{"run", "What the run is called and how long it takes."},
    KeyTable{"grid", "The torus of cells, and which of them are neighbours."},
    KeyTable{"algorithm", "How a cell trains, and how it evolves."},
    KeyTable{"model", "The networks."},
    KeyTable{"data", "What the networks learn to imitate."},
    KeyTable{"exchange", "How cells hand their weights over."},
    KeyTable{"output", "What is written to the run's directory, and when."},
};

}  // namespace

std::span<const Key> run_keys() {
  static const std::vector<Key> keys = all_keys();
  return keys;
}

std::span<const KeyTable> run_tables() {
  return tables;
}

}  // namespace quadrille::node
