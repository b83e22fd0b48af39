// A run of values in a backend's memory. It can be cut, passed and compared, but not read: host
// code moves values with Queue::upload and Queue::download. On the CPU backend the memory happens
// to be the host's; code that would profit from knowing that is code that breaks on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/check.hpp"

namespace quadrille::compute {

template <class T>
class DeviceSpan {
 public:
  DeviceSpan() = default;
  // For backends: `address` points into their memory.
  DeviceSpan(T* address, std::size_t count) : address_(address), count_(count) {}

  // Anything writable can be read.
  operator DeviceSpan<const T>() const
    requires(!std::is_const_v<T>)
  {
    return {address_, count_};
  }

  std::size_t count() const { return count_; }
  bool empty() const { return count_ == 0; }
  T* address() const { return address_; }  // for backends

  DeviceSpan part(std::size_t offset, std::size_t count) const {
    CHECK(offset <= count_ && count <= count_ - offset, offset, count, count_);
    return {address_ + offset, count};
  }
  DeviceSpan first(std::size_t count) const { return part(0, count); }
  DeviceSpan from(std::size_t offset) const { return part(offset, count_ - offset); }

  bool operator==(const DeviceSpan&) const = default;

 private:
  T* address_ = nullptr;
  std::size_t count_ = 0;
};

using Floats = DeviceSpan<float>;
using ConstFloats = DeviceSpan<const float>;
using Words = DeviceSpan<std::uint32_t>;
using ConstWords = DeviceSpan<const std::uint32_t>;
using DeviceBytes = DeviceSpan<const std::uint8_t>;  // a data set: the device only reads it

}  // namespace quadrille::compute
