// What membership wants done, in order.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "peer/membership/view.hpp"
#include "wire/datagram.hpp"
#include "wire/endpoint.hpp"
#include "wire/session_messages.hpp"
#include "wire/watch_messages.hpp"

namespace quadrille::peer {

struct MembershipOutput {
  struct Sending {
    wire::Endpoint to;
    wire::Datagram datagram;
  };
  // A stream to open: Probe to a member that does not answer datagrams, Sync to compare views with
  // it, or with a seed that is nobody yet.
  struct Dial {
    wire::Endpoint to;
    std::optional<PeerId> expected;
    wire::StreamPurpose purpose = wire::StreamPurpose::Sync;
  };
  struct Note {  // for the log and for watchers
    wire::EventKind kind;
    PeerId peer;
    std::string text;
  };
  std::vector<Sending> datagrams;
  std::vector<Dial> dials;
  std::vector<MemberChange> changes;  // of others, and of itself
  std::vector<Note> notes;
  // Of the last statement whose record nobody could have passed on: whoever sent it is at fault.
  std::optional<std::string> unreadable;

  bool empty() const {
    return datagrams.empty() && dials.empty() && changes.empty() && notes.empty() && !unreadable;
  }
};

}  // namespace quadrille::peer
