#include "wire/update.hpp"

#include <update_generated.h>

#include "base/check.hpp"
#include "wire/flat_values.hpp"
#include "wire/limits.hpp"
#include "wire/update_list.hpp"

namespace quadrille::wire {
namespace {

// Nothing of an update is smaller: its place in the list, its vtable's offset, its subject.
constexpr std::size_t update_bytes_min = 24;

// A record belongs to Alive and to nothing else; of a later version's kind we know nothing.
bool record_fits(const Update& update) {
  switch (update.kind) {
    case UpdateKind::Alive:
      return !update.record.empty() && update.record.size() <= record_bytes_max;
    case UpdateKind::Unknown:
      return update.record.size() <= record_bytes_max;
    default:
      return update.record.empty();
  }
}

flatbuffers::Offset<flat::Update> write(flatbuffers::FlatBufferBuilder& builder,
                                        const Update& update) {
  const auto record = write_bytes(builder, update.record);
  const flat::PeerId subject = flat_of(update.subject);
  const flat::PeerId accuser = flat_of(update.accuser);
  return flat::CreateUpdate(builder, static_cast<flat::UpdateKind>(update.kind), &subject,
                            update.incarnation, update.version, record,
                            update.accuser == PeerId{} ? nullptr : &accuser);
}

Update read(const flat::Update& update) {
  const Bytes record = value_of(update.record());
  return {.kind = enum_of<UpdateKind::Left>(update.kind()),
          .subject = value_of(update.subject()),
          .incarnation = update.incarnation(),
          .version = update.version(),
          .accuser = value_of(update.accuser()),
          .record = {record.begin(), record.end()}};
}

}  // namespace

std::size_t encoded_bytes_bound(const Update& update) {
  return encoded_update_bytes_bound(update.accuser != PeerId{}, update.record.size());
}

std::size_t encoded_update_bytes_bound(bool has_accuser, std::size_t record_bytes) {
  // Place in the list 4, vtable 12, its offset 4, subject 16, incarnation 8, version 4, kind 1, and
  // what alignment costs at worst. Accuser and record have places in the vtable, too.
  std::size_t bytes = 64;
  if (has_accuser) bytes += 20;
  if (record_bytes > 0) bytes += 4 + (record_bytes + 7) / 8 * 8;
  return bytes;
}

flatbuffers::Offset<FlatUpdates> write_updates(flatbuffers::FlatBufferBuilder& builder,
                                               std::span<const Update> updates) {
  if (updates.empty()) return {};
  std::vector<flatbuffers::Offset<flat::Update>> places;
  places.reserve(updates.size());
  for (const Update& update : updates) {
    CHECK(record_fits(update), update.record.size());
    places.push_back(write(builder, update));
  }
  return builder.CreateVector(places);
}

Result<std::vector<Update>> read_updates(const FlatUpdates* updates, std::size_t count_max,
                                         std::string_view message, Allowance allowance) {
  std::vector<Update> values;
  if (updates == nullptr) return values;
  if (updates->size() > count_max)
    return corrupt(message, std::to_string(updates->size()) + " updates are too many");
  for (const flat::Update* update : *updates) {
    if (!allowance.take(update_bytes_min + value_of(update->record()).size()))
      return corrupt(message, "its updates share their bytes");
    values.push_back(read(*update));
    if (!record_fits(values.back()))
      return corrupt(message, "an update with a record of " +
                                  std::to_string(values.back().record.size()) + " bytes");
  }
  return values;
}

}  // namespace quadrille::wire
