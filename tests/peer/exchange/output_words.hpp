// What an end of an exchange wants done, as words: commands, frames (each with its stream), dials,
// hang-ups, and what it tells of the other end. Peers are named by their lower half.
#pragma once

#include <sstream>
#include <string>
#include <utility>
#include <variant>

#include "base/overloaded.hpp"
#include "peer/exchange/exchange_output.hpp"
#include "peer/exchange/frame_text.hpp"
#include "peer/words.hpp"

namespace quadrille::peer::test {

inline std::string text_of(EdgeId edge) {
  return std::to_string(edge.source.value) + ">" + std::to_string(edge.reader.value);
}

inline std::string text_of(const EncodePayload& each) {
  std::ostringstream word;
  word << "encode " << text_of(each.edge);
  if (each.round) word << " round " << *each.round;
  if (each.keyframe) word << " keyframe";
  return std::move(word).str();
}

inline std::string text_of(const ApplyPayload& each) {
  std::ostringstream word;
  word << "apply " << text_of(each.edge) << " round " << each.round << " v" << each.version
       << " bytes " << each.payload->size();
  return std::move(word).str();
}

inline std::string text_of(const AdvanceCell& each) {
  std::ostringstream word;
  word << "advance " << each.cell;
  for (const AdvanceCell::Input& input : each.snapshots)
    word << " with " << text_of(input.edge) << " at " << input.round;
  for (const AdvanceCell::DirectInput& chunk : each.chunks)
    word << " message of " << chunk.from << " at " << chunk.round;
  if (each.deadline_passed) word << " too late";
  return std::move(word).str();
}

inline std::string text_of(const WorkerCommand& command) {
  return std::visit(
      Overloaded{
          [](const OpenSendingEdge& each) { return "open sending " + text_of(each.edge); },
          [](const CloseSendingEdge& each) { return "close sending " + text_of(each.edge); },
          [](const OpenReceivingEdge& each) { return "open receiving " + text_of(each.edge); },
          [](const CloseReceivingEdge& each) { return "close receiving " + text_of(each.edge); },
          [](const EncodePayload& each) { return text_of(each); },
          [](const ApplyPayload& each) { return text_of(each); },
          [](const AdvanceCell& each) { return text_of(each); },
          [](const auto&) { return std::string("a command that is no exchange's"); }},
      command);
}

inline Words words_of(const ExchangeOutput& out) {
  Words words;
  const auto add = [&words](const auto&... parts) {
    std::ostringstream word;
    (word << ... << parts);
    words.push_back(std::move(word).str());
  };
  for (const WorkerCommand& command : out.commands) add(text_of(command));
  for (const OutFrame& frame : out.frames) add(frame.stream.value, ": ", text_of(frame));
  for (const PeerId peer : out.dials) add("dial ", peer.low);
  for (const StreamId stream : out.hang_ups) add("hang up ", stream.value);
  for (const auto& fault : out.faults)
    add("fault ", text_of(fault.edge), " of ", fault.sender.low, ": ", int(fault.fault));
  for (const auto& keyframe : out.keyframes)
    add("keyframe ", text_of(keyframe.edge), " of ", keyframe.sender.low, " round ",
        keyframe.round);
  for (const Offence& offence : out.offences)
    add("offence on ", offence.stream.value, offence.reason.empty() ? " for no reason" : "");
  return words;
}

// The same, once.
inline Words take_words(ExchangeOutput& out) {
  return words_of(std::exchange(out, {}));
}

}  // namespace quadrille::peer::test
