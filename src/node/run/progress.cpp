#include "node/run/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "node/run/printable.hpp"

namespace quadrille::node {
namespace {

constexpr int bar_width = 20;
constexpr int columns_fallback = 80;

int terminal_columns(std::FILE* out) {
  winsize size{};
  if (::ioctl(::fileno(out), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return columns_fallback;
  return size.ws_col;
}

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

}  // namespace

std::string grouped_digits(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::max(0.0, std::round(seconds)));
  char text[48];
  if (whole >= 3600)
    std::snprintf(text, sizeof text, "%lluh%02llum", static_cast<unsigned long long>(whole / 3600),
                  static_cast<unsigned long long>(whole / 60 % 60));
  else if (whole >= 60)
    std::snprintf(text, sizeof text, "%llum%02llus", static_cast<unsigned long long>(whole / 60),
                  static_cast<unsigned long long>(whole % 60));
  else
    std::snprintf(text, sizeof text, "%llus", static_cast<unsigned long long>(whole));
  return text;
}

std::string progress_text(const ProgressLine& line) {
  std::string text =
      "generation " + std::to_string(line.generation) + "/" + std::to_string(line.generations);
  if (line.score) text += "  score " + number_text(*line.score);
  text += "  G " + number_text(line.generator_fitness) + "  D " +
          number_text(line.discriminator_fitness);
  if (line.images_per_second > 0)
    text += "  " + grouped_digits(static_cast<std::uint64_t>(line.images_per_second)) + " images/s";
  if (line.seconds_left) text += "  " + duration_text(*line.seconds_left) + " left";
  return text + "  " + line.verdict;
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

// One line only: what does not fit the terminal is cut, or it would scroll instead of redraw.
void Progress::redraw(const ProgressLine& line) {
  const int filled = static_cast<int>(std::clamp(line.part, 0.0, 1.0) * bar_width);
  shown_ = "[" + std::string(static_cast<std::size_t>(filled), '#') +
           std::string(static_cast<std::size_t>(bar_width - filled), '.') + "] " +
           progress_text(line);
  const auto columns = static_cast<std::size_t>(terminal_columns(out_));
  if (shown_.size() >= columns) shown_.resize(columns - 1);
  std::fprintf(out_, "\r\033[K%s", shown_.c_str());
  std::fflush(out_);
}

}  // namespace quadrille::node
