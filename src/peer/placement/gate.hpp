// No claim before the gate is open: a peer that does not know the others yet would claim what is
// theirs. It opens early when the peers that are known can hold the whole grid and nothing changed
// for a moment, late in any case; but a peer that was given seeds levels its view with somebody
// first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/time.hpp"

namespace quadrille::peer {

class Gate {
 public:
  // Whether the view has to be levelled with somebody's first. Hoped: with that of a peer that an
  // earlier process knew, and that may be gone: then the gate opens late, and never early.
  enum class Sync : std::uint8_t { None, Hoped, Needed };
  struct Options {
    Duration latest{};       // after the start
    Duration early_quiet{};  // of the view
    Sync sync = Sync::None;
  };
  enum class State : std::uint8_t { Shut, OpenedEarly, OpenedLate };

  explicit Gate(Options options) : options_(options), synced_(options.sync == Sync::None) {}

  void start(TimePoint now) { started_ = now; }
  void on_synced() { synced_ = true; }
  bool synced() const { return synced_; }
  // What was needed is only hoped for.
  void hope() { options_.sync = std::min(options_.sync, Sync::Hoped); }
  void note(TimePoint now) { changed_at_ = now; }  // a change of the view

  State state() const { return state_; }
  bool is_open() const { return state_ != State::Shut; }
  // Opens it for good once it may. `covers_grid`: the capacity of those who live suffices.
  void update(bool covers_grid, TimePoint now);
  // When update() will open it, as things are. Nothing: not by time alone, or it is open.
  std::optional<TimePoint> due(bool covers_grid) const;

 private:
  Options options_;
  std::optional<TimePoint> started_;
  TimePoint changed_at_;
  bool synced_;
  State state_ = State::Shut;
};

}  // namespace quadrille::peer
