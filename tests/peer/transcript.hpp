// What goes into a peer and what comes out, as text: a line each, decoded from the bytes, so that a
// transcript reads like the protocol's description. tests/golden/peer has them.
#pragma once

#include <map>
#include <sstream>
#include <string>

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "peer/effects.hpp"
#include "wire/frame.hpp"
#include "wire/update.hpp"

namespace quadrille::peer::test {

class Transcript {
 public:
  // "# a comment", or what is done to the peer, such as "datagram from 10.0.0.2: Ack 1".
  void say(const std::string& line) {
    if (!hidden_) text_ << line << '\n';
  }
  // What happens while it is hidden is not written down.
  void hide(bool hidden) { hidden_ = hidden; }
  void at(TimePoint now);
  void record(const Effects& effects);

  std::string text() const { return text_.str(); }

 private:
  void record(const SendDatagram& sent);
  void record(const Effects::StreamAction& action);
  void record(const WorkerCommand& command);

  std::ostringstream text_;
  bool hidden_ = false;
  std::map<StreamId, wire::FrameReader> readers_;  // a stream's bytes, as its other end cuts them
};

std::string describe_update(const wire::Update& update);
std::string describe_datagram(Bytes bytes);
std::string describe_frame(const wire::Frame& frame);

// The transcript equals the golden file; with QUADRILLE_REWRITE_GOLDEN set, the file is written.
void check_golden(const std::string& name, const std::string& text);

}  // namespace quadrille::peer::test
