// Where the dead were last: a split network looks like many deaths, and only who goes on calling
// them finds out that they live. Those who said that they leave are not here.
//
// For a while after its death a member is gossiped to like a live one (it may only have been slow);
// then it is called now and then, for as long as its place here lasts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "base/random.hpp"
#include "base/time.hpp"
#include "wire/endpoint.hpp"

namespace quadrille::peer {

inline constexpr std::size_t departed_max = 1024;  // the longest dead are given up first

struct Departed {
  PeerId id;
  wire::Endpoint endpoint;
  TimePoint since;
  std::optional<TimePoint> called;  // by this peer, the last time
};

class DepartedList {
 public:
  void add(const Departed& departed);  // since: not before that of the one added last
  // It lives again.
  std::optional<Departed> remove(PeerId id);

  bool empty() const { return departed_.empty(); }
  std::size_t size() const { return departed_.size(); }
  // How many died after `since`, and one of those or of all at random, which is called now.
  std::size_t count_after(TimePoint since) const;
  const Departed& call_recent(std::size_t count, TimePoint now, RandomStream& random);
  const Departed& call_any(TimePoint now, RandomStream& random);

 private:
  std::vector<Departed> departed_;  // by `since`
};

}  // namespace quadrille::peer
