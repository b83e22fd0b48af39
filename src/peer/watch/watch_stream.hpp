// What one watcher is sent: the whole view once, then events and statuses that changed. Bounded: a
// watcher that reads slowly gets the latest of each cell and a gap among the events, never a queue
// that grows.
//
// Nothing is kept of what a watcher was told: only which members and cells it has yet to hear of,
// at first all of them, and what they are is looked up when it is sent. The watcher says by Credit
// how many more bytes it takes of members, statuses, events and chunks together.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "peer/membership/view.hpp"
#include "peer/status/status_board.hpp"
#include "peer/stream.hpp"
#include "peer/transfer/link.hpp"
#include "peer/watch/event_ring.hpp"
#include "wire/frame.hpp"
#include "wire/watch_messages.hpp"

namespace quadrille::peer {

struct WatchOutput {
  std::vector<OutFrame> frames;
  // A sheet that the watcher wants: fetch it of the cell's owner, then on_sheet().
  struct SheetWish {
    StreamId stream;
    std::uint32_t request = 0;
    CellIndex cell;
  };
  std::vector<SheetWish> wishes;
  std::vector<StreamId> hang_ups;
  std::vector<Offence> offences;

  bool empty() const {
    return frames.empty() && wishes.empty() && hang_ups.empty() && offences.empty();
  }
};

class WatchStream {
 public:
  static constexpr Duration interval = std::chrono::milliseconds(250);
  static constexpr std::size_t bytes_per_interval_max = 256 << 10;
  static constexpr std::size_t statuses_max = 1000;  // in one frame, and one frame an interval
  static constexpr std::size_t events_max = 64;      // the same
  // So long something may wait for a watcher that gives no credit.
  static constexpr Duration patience = std::chrono::seconds(60);

  // What it shows; read when it is called, never kept.
  struct Sight {
    const View& view;
    const StatusBoard& statuses;
    const EventRing& events;
  };

  // After the Welcome.
  WatchStream(StreamId stream, const wire::WatchBegin& begin, const Sight& sight, TimePoint now,
              WatchOutput& out);

  // The grid grew.
  void begin_again(const wire::WatchBegin& begin, WatchOutput& out) const;
  void note_member(PeerId member);
  void note_statuses(std::span<const CellIndex> changed);  // StatusBoard::take_changed()

  // After a hang-up or an offence it is of no more use.
  void on_frame(const wire::Frame& frame, WatchOutput& out);
  // The answer to a wish; no payload: there is no sheet.
  void on_sheet(std::uint32_t request, Round round, const Payload& sheet, WatchOutput& out);
  void on_time(const Sight& sight, TimePoint now, WatchOutput& out);
  TimePoint wake_at() const { return next_at_; }

 private:
  Result<void> take(const wire::Frame& frame, WatchOutput& out);
  Result<void> take_wish(const wire::ObjectRequest& request, WatchOutput& out);
  void refuse_sheet(std::uint32_t request, WatchOutput& out) const;
  bool is_lost(const Sight& sight, TimePoint now);
  // What may be sent now of members, statuses and events, in one frame.
  std::size_t room() const;
  void send(OutFrame frame, WatchOutput& out);
  bool send_members(const Sight& sight, TimePoint now, WatchOutput& out);
  void send_statuses(const Sight& sight, TimePoint now, WatchOutput& out);
  void send_events(const Sight& sight, WatchOutput& out);
  void feed_link(WatchOutput& out);

  StreamId stream_;
  std::set<PeerId> members_;   // that it has yet to hear of
  std::set<CellIndex> cells_;  // the same
  CellIndex next_cell_;        // its turn among them
  std::uint64_t next_event_ = 1;
  TimePoint next_at_;
  std::optional<TimePoint> starved_since_;
  std::uint64_t credit_ = 0;
  std::size_t interval_bytes_left_ = 0;
  OutgoingLink link_;
  std::uint64_t sheet_bytes_ = 0;   // of all sheets that began
  std::uint64_t link_credit_ = 0;   // what the link was given of the credit
  std::set<std::uint32_t> wanted_;  // requests whose sheet is not yet there
  std::size_t refusals_left_ = wire::sheet_refusals_max;
};

}  // namespace quadrille::peer
