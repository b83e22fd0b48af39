// What the two ends of an edge say to each other, as values: decoded from frames, or handed over
// within the process. An edge between two cells of one peer differs in nothing else.
#pragma once

#include <variant>

#include "peer/worker.hpp"
#include "wire/exchange_messages.hpp"

namespace quadrille::peer {

// From the end that reads.
using ReaderMessage =
    std::variant<wire::Subscribe, wire::Unsubscribe, wire::PayloadApplied, wire::PayloadRefused>;

// From the end that publishes: what a transfer began with, and what it brought.
using Begin = std::variant<wire::PayloadBegin, wire::DirectBegin>;
struct Arrival {
  Begin begin;
  Payload payload;
};

}  // namespace quadrille::peer
