#include "node/run/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/amount_text.hpp"
#include "node/run/printable.hpp"

namespace quadrille::node {
namespace {

constexpr std::size_t bar_width = 20;
constexpr std::size_t columns_fallback = 80;

std::size_t terminal_columns(std::FILE* out) {
  winsize size{};
  if (::ioctl(::fileno(out), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return columns_fallback;
  return size.ws_col;
}

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

// A piece of the line; on a narrow terminal the one that is worth least goes first.
struct Piece {
  enum class Worth : std::uint8_t { Bar, Rate, Fitness, Always };
  Worth worth;
  std::string text;
};

std::string bar(double part) {
  const auto filled = static_cast<std::size_t>(std::clamp(part, 0.0, 1.0) * bar_width);
  return "[" + std::string(filled, '#') + std::string(bar_width - filled, '.') + "]";
}

std::vector<Piece> pieces_of(const ProgressLine& line) {
  using enum Piece::Worth;
  std::vector<Piece> pieces{{Always, "generation " + std::to_string(line.generation) + "/" +
                                         std::to_string(line.generations)}};
  if (line.score) pieces.push_back({Always, "score " + number_text(*line.score)});
  if (line.generator_fitness)
    pieces.push_back({Fitness, "G " + number_text(*line.generator_fitness)});
  if (line.discriminator_fitness)
    pieces.push_back({Fitness, "D " + number_text(*line.discriminator_fitness)});
  if (line.images_per_second > 0)
    pieces.push_back(
        {Rate, grouped_digits(static_cast<std::uint64_t>(line.images_per_second)) + " images/s"});
  if (line.seconds_left) pieces.push_back({Always, duration_text(*line.seconds_left) + " left"});
  pieces.push_back({Always, line.verdict});
  return pieces;
}

std::string joined(const std::vector<Piece>& pieces) {
  std::string text;
  for (const Piece& piece : pieces) text += (text.empty() ? "" : "  ") + piece.text;
  return text;
}

}  // namespace

std::string progress_text(const ProgressLine& line) {
  return joined(pieces_of(line));
}

std::string bar_text(const ProgressLine& line, std::size_t columns) {
  using enum Piece::Worth;
  std::vector<Piece> pieces = pieces_of(line);
  std::string text = bar(line.part) + " " + joined(pieces);
  for (const Piece::Worth least : {Bar, Rate, Fitness}) {
    if (text.size() < columns) break;
    std::erase_if(pieces, [&](const Piece& piece) { return piece.worth == least; });
    text = joined(pieces);
  }
  return text.substr(0, columns - 1);
}

Progress::Progress(std::FILE* out, LogLevel level)
    : out_(out), level_(level), terminal_(::isatty(::fileno(out)) == 1) {}

void Progress::generation(const ProgressLine& line, TimePoint now) {
  if (level_ > LogLevel::Info) return;
  if (terminal_) {
    drawn_ = now;
    redraw(line);
    return;
  }
  std::fprintf(out_, "%s\n", progress_text(line).c_str());
  std::fflush(out_);
}

void Progress::tick(const ProgressLine& line, TimePoint now) {
  if (level_ > LogLevel::Info || !terminal_ || now - drawn_ < redraw_min) return;
  drawn_ = now;
  redraw(line);
}

void Progress::say(const std::string& text) {
  if (level_ <= LogLevel::Info) put(text);
}

void Progress::warn(const std::string& text) {
  if (level_ <= LogLevel::Warning) put(text);
}

void Progress::put(const std::string& text) {
  if (!shown_.empty()) std::fputs("\r\033[K", out_);
  std::fprintf(out_, "%s\n%s", printable(text).c_str(), shown_.c_str());
  std::fflush(out_);
}

void Progress::finish() {
  if (!shown_.empty()) std::fputc('\n', out_);
  shown_.clear();
  std::fflush(out_);
}

void Progress::redraw(const ProgressLine& line) {
  shown_ = bar_text(line, terminal_columns(out_));
  std::fprintf(out_, "\r\033[K%s", shown_.c_str());
  std::fflush(out_);
}

}  // namespace quadrille::node
