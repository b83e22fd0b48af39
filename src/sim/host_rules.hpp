// What must hold of a host at any moment, whatever was before: I3, I6 and I8 of docs/simulation.md.
// Of values, so that each can be seen to fail.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "peer/membership/view.hpp"
#include "peer/objects/object_server.hpp"
#include "peer/session/sessions.hpp"
#include "peer/transfer/link.hpp"
#include "sim/event_queue.hpp"
#include "sim/violation.hpp"
#include "wire/limits.hpp"
#include "wire/peer_record.hpp"

namespace quadrille::sim {

// I3. `owner`: of each cell, in the view of the host itself.
using OwnerInView = std::function<std::optional<PeerId>(CellIndex)>;
std::optional<Violation> check_training(NodeIndex node, PeerId self,
                                        const std::vector<CellIndex>& training,
                                        const OwnerInView& owner_of);

// I6.
std::optional<Violation> check_yields(NodeIndex node, const std::vector<wire::CellYield>& yields,
                                      const peer::View& view);

// I8: of what a host sends, and of what waits there, as far as it is seen from outside.
struct HostSizes {
  std::size_t datagram_bytes = 0;  // the largest that it sent
  std::size_t frame_bytes = 0;     // the same of what it gave a stream at once: a frame
  std::size_t backlog_bytes = 0;   // sent on one of its streams, and not arrived
  std::size_t record_bytes = 0;    // of itself
  std::size_t claim_runs = 0;      // in it
  std::size_t yields = 0;          // the same
  std::size_t members = 0;         // that it knows of, gone ones too
  std::size_t streams = 0;         // that it has, and is opening
  std::size_t accepted = 0;        // of these, that others dialled
  std::size_t objects = 0;         // that its worker was asked for, and has not begun to make

  // A stream holds chunks, for which its receiver gave credit, or one exchange of views. So much is
  // for the small frames beside either, which need no credit.
  static constexpr std::size_t small_frames_bytes = std::size_t{1} << 20;
  static constexpr std::size_t backlog_bytes_max =
      std::max<std::size_t>(peer::IncomingLink::credit_window_bytes, wire::sync_bytes_max) +
      small_frames_bytes;
};
// `cells_max`: that fit into the host, each of which may be asked for to hand it over.
std::optional<Violation> check_sizes(NodeIndex node, const HostSizes& sizes, std::size_t cells_max);

}  // namespace quadrille::sim
