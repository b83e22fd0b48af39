// Who breaks the protocol: offences are counted by address, and after several within a while the
// address is ignored for a while. Bounded: the oldest entry makes room.
//
// The address is what the network says, so that without a key a forger may have an honest peer
// ignored, for a minute. With one, forged datagrams never come this far.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>

#include "base/time.hpp"
#include "wire/endpoint.hpp"

namespace quadrille::peer {

class Conduct {
 public:
  static constexpr std::uint32_t offences_max = 8;
  static constexpr Duration memory = std::chrono::seconds(60);
  static constexpr Duration ignored_for = std::chrono::seconds(60);
  static constexpr std::size_t addresses_max = 1024;

  // True when this one is the offence after which the address is ignored.
  bool offence(const wire::Endpoint& from, TimePoint now);
  bool ignored(const wire::Endpoint& from, TimePoint now) const;
  // By anybody, ever.
  std::uint64_t offence_count() const { return offence_count_; }

 private:
  struct Record {
    std::uint32_t offences = 0;
    TimePoint since;  // of the first of them; of the sentence when it is ignored
    bool sentenced = false;
  };

  Record& record_of(const wire::Endpoint& from, TimePoint now);
  void forget_oldest();

  std::map<std::array<std::uint8_t, 16>, Record> records_;  // by address: ports change
  std::uint64_t offence_count_ = 0;
};

}  // namespace quadrille::peer
