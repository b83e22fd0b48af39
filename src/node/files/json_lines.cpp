#include "node/files/json_lines.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "node/files/atomic_file.hpp"

namespace quadrille::node {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

// Well above a line of the largest neighbourhood, of 1,025 cells.
constexpr std::int64_t line_bytes_max = std::int64_t{1} << 20;
constexpr int copies_max = 1000;

// Counts, indices and flags come as doubles too, and read better as the integers that they are.
OrderedJson number(double value) {
  constexpr double exact_max = 1LL << std::numeric_limits<double>::digits;
  if (!std::isfinite(value)) return nullptr;
  if (std::trunc(value) == value && std::abs(value) <= exact_max)
    return static_cast<std::int64_t>(value);
  return value;
}

OrderedJson measured(const peer::Measure& measure) {
  if (measure.values.size() == 1) return number(measure.values[0]);
  OrderedJson list = OrderedJson::array();
  for (const double value : measure.values) list.push_back(number(value));
  return list;
}

// The size of the file without a last line that has no end; -1 with errno when it cannot be read.
std::int64_t whole_lines(int descriptor, std::int64_t size) {
  constexpr std::int64_t window = 4096;
  char buffer[window];
  while (size > 0) {
    const std::int64_t begin = size > window ? size - window : 0;
    const ssize_t got = ::pread(descriptor, buffer, static_cast<std::size_t>(size - begin), begin);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    const std::string_view text(buffer, static_cast<std::size_t>(got));
    const std::size_t end = text.rfind('\n');
    if (end != std::string_view::npos) return begin + static_cast<std::int64_t>(end) + 1;
    size = begin;
  }
  return 0;
}

std::optional<std::pair<CellIndex, Round>> place_of(const std::string& line) {
  const OrderedJson json = OrderedJson::parse(line, nullptr, false);
  const auto number = [&](const char* name) -> std::optional<std::uint64_t> {
    if (!json.is_object() || !json.contains(name) || !json[name].is_number_unsigned())
      return std::nullopt;
    return json[name].get<std::uint64_t>();
  };
  const auto cell = number("cell"), generation = number("generation");
  if (!cell || !generation) return std::nullopt;
  return std::pair(CellIndex{static_cast<std::uint32_t>(*cell)},
                   Round{*generation, static_cast<std::uint32_t>(number("subround").value_or(0))});
}

// What stands after the last line end. Longer than any line of ours, it is given in part.
std::string last_text(int descriptor, std::int64_t begin, std::int64_t end) {
  std::string text(static_cast<std::size_t>(std::min(end - begin, line_bytes_max)), '\0');
  const ssize_t got = ::pread(descriptor, text.data(), text.size(), begin);
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return text;
}

// Did writing one of our lines end within it? A power cut may leave zeros of what was not written.
bool is_torn(std::string text) {
  text.resize(text.find_last_not_of('\0') + 1);
  constexpr std::string_view begin = "{\"cell\":";
  const std::size_t count = std::min(begin.size(), text.size());
  return text.substr(0, count) == begin.substr(0, count) && !place_of(text);
}

// Copies the file to a name beside it that nobody has, and returns that.
Result<fs::path> copied_aside(const fs::path& path) {
  for (int number = 1; number <= copies_max; ++number) {
    fs::path copy = path;
    copy += ".damaged" + (number == 1 ? std::string() : "-" + std::to_string(number));
    std::error_code error;
    if (fs::exists(fs::symlink_status(copy, error))) continue;
    if (fs::copy_file(path, copy, error)) return copy;
    if (error == std::errc::file_exists) continue;
    std::error_code ignored;
    fs::remove(copy, ignored);  // what there is of it
    return Failure(write_error(copy, error.value(), fs::file_size(path, ignored)));
  }
  return failure(ErrorCode::Io, path.string() + ": has " + std::to_string(copies_max) +
                                    " damaged copies beside it; remove those named *.damaged*");
}

int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

std::string status_line(const peer::Status& status, std::span<const NamedNumber> extra) {
  OrderedJson line;
  line["cell"] = status.cell.value;
  line["generation"] = status.round.index;
  if (status.round.subround != 0) line["subround"] = status.round.subround;
  line["generator_fitness"] = number(status.generator_fitness);
  line["discriminator_fitness"] = number(status.discriminator_fitness);
  line["score"] = status.score ? number(*status.score) : OrderedJson(nullptr);
  line["images_seen"] = status.images_seen;
  for (const peer::Measure& measure : status.measures) line[measure.name] = measured(measure);
  for (const NamedNumber& named : extra) line[std::string(named.name)] = number(named.value);
  return line.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

Result<JsonLines> JsonLines::open(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) return Failure(write_error(path, errno, 0));
  JsonLines lines(path, descriptor, 0);
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) return Failure(write_error(path, errno, 0));
  if (!S_ISREG(status.st_mode)) {
    return failure(ErrorCode::Io, path.string() + " is not a file; remove it");
  }
  const std::int64_t size = whole_lines(descriptor, status.st_size);
  if (size < 0) return Failure(write_error(path, errno, 0));
  lines.size_ = static_cast<std::uint64_t>(size);
  if (size == status.st_size) return lines;
  if (is_torn(last_text(descriptor, size, status.st_size))) {
    if (::ftruncate(descriptor, size) != 0) return Failure(write_error(path, errno, 0));
    return lines;
  }
  // A whole one that lacks its end, or somebody else's: keep() tells.
  if (const int refused = write_all(descriptor, "\n"))
    return Failure(write_error(path, refused, 1));
  lines.size_ = static_cast<std::uint64_t>(status.st_size) + 1;
  return lines;
}

JsonLines::JsonLines(std::filesystem::path path, int descriptor, std::uint64_t size)
    : path_(std::move(path)), descriptor_(descriptor), size_(size) {}

JsonLines::JsonLines(JsonLines&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_) {}

JsonLines::~JsonLines() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<SetAside> JsonLines::keep(
    const std::function<Line(CellIndex, std::uint64_t generation)>& judge) {
  std::ifstream file(path_, std::ios::binary);
  std::set<std::pair<CellIndex, Round>> there;
  std::string kept;
  SetAside aside;
  for (std::string line; std::getline(file, line);) {
    const auto place = place_of(line);
    const Line is = place ? judge(place->first, place->second.index) : Line::Foreign;
    if (is == Line::Wanted && there.insert(*place).second) kept.append(line) += '\n';
    if (is == Line::Foreign && !line.empty()) ++aside.lines;
  }
  if (!file.eof()) return Failure(Error{ErrorCode::Io, path_.string() + ": cannot be read"});
  file.close();
  if (kept.size() == size_) return aside;
  if (aside.lines > 0) {
    TRY(copy, copied_aside(path_));
    aside.file = std::move(copy);
  }
  TRY_VOID(write_file_atomically(path_, bytes_of(std::span<const char>(kept))));
  const int descriptor = ::open(path_.c_str(), O_RDWR | O_APPEND | O_CLOEXEC);
  if (descriptor < 0) return Failure(write_error(path_, errno, 0));
  ::close(std::exchange(descriptor_, descriptor));
  size_ = kept.size();
  return aside;
}

Result<void> JsonLines::append(const peer::Status& status, std::span<const NamedNumber> extra) {
  const std::string line = status_line(status, extra) + '\n';
  if (const int error = write_all(descriptor_, line)) {
    // A line cut in two would spoil the next one as well.
    // If even this fails, the next open() mends it.
    [[maybe_unused]] const int mended = ::ftruncate(descriptor_, static_cast<off_t>(size_));
    return Failure(write_error(path_, error, line.size()));
  }
  size_ += line.size();
  return {};
}

}  // namespace quadrille::node
