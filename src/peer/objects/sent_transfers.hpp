// How many transfers ended among frames that an OutgoingLink handed out: who serves counts those
// that are on their way, and lets in no more than so many.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "peer/stream.hpp"

namespace quadrille::peer {

inline std::size_t ended_transfers(std::span<const OutFrame> frames) {
  return static_cast<std::size_t>(std::ranges::count_if(frames, [](const OutFrame& frame) {
    return frame.type == wire::FrameType::Chunk && frame.tail &&
           frame.tail_offset + frame.tail_bytes == frame.tail->size();
  }));
}

}  // namespace quadrille::peer
