// A trained classifier as bytes. What is read back is hostile until checked: the checksum first,
// then every size against the bytes that are there, then every number.
//
//   bytes  what (little-endian)
//   8      "QDRLCLSF"
//   4      version
//   4      fingerprint length (1 to 128)
//   8      sample size
//   4      class count
//   4      epochs
//   8      accuracy, float64
//   8      rows it was tested on
//   4      1 when those were held out of training
//   8      parameter count
//   ...    fingerprint
//   4 x n  parameters, float32
//   8      XXH3-64 of all the bytes before it
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "train/score/classifier.hpp"

namespace quadrille::train {

// Raised whenever the layout, the network or the
// training changes: older files are then trained anew.
inline constexpr std::uint32_t classifier_file_version = 1;

// XXH3-64 of the parameters: the same number, the same classifier.
std::uint64_t classifier_id(const ClassifierModel& model);

ByteBuffer serialise(const ClassifierModel& model);
// Corrupt when the bytes are not what they claim to be, Mismatch for another version.
Result<ClassifierModel> parse_classifier(Bytes bytes);

}  // namespace quadrille::train
