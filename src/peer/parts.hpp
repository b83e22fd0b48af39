// The inside of a Peer: its parts, and what passes between them.
//
// Parts do not call each other, but for two that are handed the one they work on (anti-entropy the
// membership, acquisition the objects). Each leaves what it wants done in its output, and settle()
// carries these on until there is nothing left; so the order of things is read in one place.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/random.hpp"
#include "base/time.hpp"
#include "peer/effects.hpp"
#include "peer/exchange/exchange.hpp"
#include "peer/membership/membership.hpp"
#include "peer/objects/acquisition.hpp"
#include "peer/objects/objects.hpp"
#include "peer/peer.hpp"
#include "peer/placement/placement.hpp"
#include "peer/session/anti_entropy.hpp"
#include "peer/session/conduct.hpp"
#include "peer/session/sessions.hpp"
#include "peer/status/status_board.hpp"
#include "peer/watch/watch_stream.hpp"

namespace quadrille::peer {

// A cell that this peer has or is about to have.
struct HeldCell {
  enum class Phase : std::uint8_t { Acquiring, Starting, Training, Parked, Done, Failed };
  Phase phase = Phase::Acquiring;
  // Whether it was claimed, and said so; else another peer yields it.
  bool is_claimed = false;
  bool has_begun() const { return phase != Phase::Acquiring && phase != Phase::Starting; }
  std::vector<CellIndex> wanted;  // whose snapshots the learner wants to read

  // What it sends to other peers, reckoned now and then.
  TimePoint sent_since;
  std::uint64_t sent_bytes = 0;  // until then
  std::uint32_t sent_bytes_per_second = 0;
};

struct Peer::Parts {
  Parts(PeerOptions all_options, const StoredPeer& stored, RecordPool& pool,
        std::uint64_t random_seed, Now now);

  // --- parts.cpp: between the parts ---
  void settle(Now now, Effects& out);
  bool is_unsettled() const;
  void carry_membership(Now now, Effects& out);
  void carry_placement(Now now, Effects& out);
  void carry_exchange(Now now, Effects& out);
  // What every part that speaks on streams leaves.
  struct StreamOutput {
    const std::vector<Offence>& offences;
    const std::vector<OutFrame>& frames;
    const std::vector<StreamId>& hang_ups;
  };
  void carry_streams(const StreamOutput& output, Now now, Effects& out);
  void carry_objects(Now now, Effects& out);
  void send_datagram(const wire::Endpoint& to, wire::Datagram datagram, Now now, Effects& out);
  void send_message(const PlacementOutput::Sending& sending, Now now, Effects& out);
  void take_statuses(const wire::Datagram& datagram, Now now);
  void note(wire::EventKind kind, PeerId peer, std::optional<CellIndex> cell, std::string_view text,
            Now now, Effects& out);
  void forget_own_seed(const wire::Endpoint& seed, Now now);
  void begin_leaving(Now now);
  void step_leaving(Now now, Effects& out);
  void store_known_peers(Now now, Effects& out);
  const wire::PeerRecord* live_record(PeerId peer) const;  // null: it is not live
  TimePoint wake_at() const;
  Introduction introduction() const;

  // --- parts_streams.cpp: streams ---
  void dial(PeerId peer, wire::StreamPurpose purpose, Now now, Effects& out);
  void on_stream_event(const Sessions::Event& event, Now now, Effects& out);
  void on_stream_opened(const Sessions::Opened& opened, Now now, Effects& out);
  Result<void> meet(PeerId peer, Bytes record, Now now);
  void on_accepted_open(const Sessions::Party& party, Now now, Effects& out);
  void on_dialled_open(const Sessions::Party& party, Now now, Effects& out);
  void on_frame(const Sessions::Arrived& arrived, Now now, Effects& out);
  void send_sync(Effects& out);
  void on_sync_frame(const Sessions::Arrived& arrived, Now now, Effects& out);
  void on_stream_ended(const Sessions::Ended& ended, Now now, Effects& out);
  void on_never_opened(const Sessions::Ended& ended, Now now, Effects& out);
  void on_stream_offence(StreamId stream, const std::string& reason, Now now, Effects& out);
  void on_offence(const wire::Endpoint& from, const std::string& reason, Now now, Effects& out);
  void step_streams(Now now, Effects& out);

  // --- parts_watch.cpp: watchers ---
  void begin_watch(const Sessions::Party& party, Now now);
  void end_watch(StreamId stream);
  void carry_watch(Now now, Effects& out);
  void on_sheet(const WatchOutput::SheetWish& wish, const ObjectsOutput::Answer& answer);
  void step_watch(Now now);
  wire::WatchBegin watch_begin() const;
  WatchStream::Sight sight() const;

  // --- parts_cells.cpp: cells and the worker ---
  void on_action(const PlacementOutput::Action& action, Now now, Effects& out);
  void adopt(CellIndex cell, Now now);
  void drop(const PlacementOutput::Dropped& dropped, Now now, Effects& out);
  bool is_stale(const WorkerReport& report) const;
  bool answers_start_in_vain(const WorkerReport& report);
  void on_report(const WorkerReport& report, Now now, Effects& out);
  void command(WorkerCommand command, Effects& out);
  void on_acquired(const AcquisitionOutput::Result& result, Now now, Effects& out);
  void say_status(wire::CellStatus status, HeldCell& cell, Now now);
  void say_phase(CellIndex cell, Now now, std::optional<Round> round = std::nullopt);
  void refresh_sources(Now now);
  std::vector<EdgeSource> sources_of(CellIndex cell, const std::vector<CellIndex>& wanted) const;
  void refresh_wards(Now now);

  PeerOptions options;
  RandomStream random;
  PeerId self;
  Membership membership;
  Placement placement;
  StatusBoard statuses;
  Exchange exchange;
  Objects objects;
  Acquisition acquisition;
  Sessions sessions;
  AntiEntropy anti_entropy;
  Conduct conduct;
  EventRing events;
  std::map<StreamId, WatchStream> watchers;
  std::map<FetchId, WatchOutput::SheetWish> sheet_fetches;

  MembershipOutput from_membership;
  PlacementOutput from_placement;
  ExchangeOutput from_exchange;
  ObjectsOutput from_objects;
  AcquisitionOutput from_acquisition;
  WatchOutput from_watch;
  std::vector<OutFrame> from_sync;

  std::map<CellIndex, HeldCell> cells;
  // Cells that were dropped before the worker said how their start went: so many answers will still
  // come, and are of no interest.
  std::map<CellIndex, std::uint32_t> starts_in_vain;
  std::map<PeerId, std::uint32_t> failed_dials;  // of live members, since the last that succeeded
  bool owners_changed = false;
  bool told_joined = false;
  TimePoint next_wards;
  TimePoint next_store;

  enum class Leaving : std::uint8_t { No, HandingOver, Saying, Gone };
  Leaving leaving = Leaving::No;
  TimePoint leave_deadline = TimePoint::never();
};

}  // namespace quadrille::peer
