// A view, or the buckets of it that differ from somebody else's, as frames of anti-entropy.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "peer/membership/roster.hpp"
#include "wire/sync_messages.hpp"

namespace quadrille::peer {

using StateSink = std::function<void(const wire::State&)>;

// Alive with its record for who lives, and a suspicion after it where there is one; Dead or Left
// for who is gone. Left out is what the other end has said itself in this exchange, as was `heard`,
// and what is older. Each frame fits wire::control_frame_bytes_max, and all of them together
// wire::sync_bytes_max. What does not fit waits for another exchange: `turn` says where to begin.
// Each is sent before the next is made: together they may be a copy of all records.
void state_frames(const Roster& roster, const wire::StateEnd& buckets, std::uint64_t turn,
                  std::span<const wire::State> heard, const StateSink& send);

}  // namespace quadrille::peer
