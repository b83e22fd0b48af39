#include "wire/session_messages.hpp"

#include <session_generated.h>

#include "base/check.hpp"
#include "wire/flat_values.hpp"
#include "wire/limits.hpp"
#include "wire/text.hpp"
#include "wire/verified.hpp"

namespace quadrille::wire {

using Builder = flatbuffers::FlatBufferBuilder;

ByteBuffer encode(const Hello& message) {
  CHECK(message.version_min <= message.version_max, message.version_min, message.version_max);
  CHECK(message.record.size() <= record_bytes_max, message.record.size());
  Builder builder;
  const auto record = write_bytes(builder, message.record);
  const flat::RunId run = flat_of(message.run);
  const flat::PeerId sender = flat_of(message.sender);
  return finished(builder,
                  flat::CreateHello(builder, message.version_min, message.version_max, &run,
                                    &sender, static_cast<flat::StreamPurpose>(message.purpose),
                                    message.features, record),
                  flat::HelloIdentifier());
}

Result<Hello> decode_hello(Bytes body) {
  TRY(root, verified<flat::Hello>(body, flat::HelloIdentifier()));
  const Bytes record = value_of(root->record());
  if (root->version_min() > root->version_max())
    return corrupt("Hello", "version_min " + std::to_string(root->version_min()) +
                                " is above version_max " + std::to_string(root->version_max()));
  if (record.size() > record_bytes_max)
    return corrupt("Hello", "a record of " + std::to_string(record.size()) + " bytes");
  return Hello{.version_min = root->version_min(),
               .version_max = root->version_max(),
               .run = value_of(root->run()),
               .sender = value_of(root->sender()),
               .purpose = enum_of<StreamPurpose::Watch>(root->purpose()),
               .features = root->features(),
               .record = {record.begin(), record.end()}};
}

ByteBuffer encode(const Welcome& message) {
  Builder builder;
  const flat::RunId run = flat_of(message.run);
  const flat::PeerId sender = flat_of(message.sender);
  return finished(builder,
                  flat::CreateWelcome(builder, message.version, &run, &sender, message.features),
                  flat::HelloIdentifier());
}

Result<Welcome> decode_welcome(Bytes body) {
  TRY(root, verified<flat::Welcome>(body, flat::HelloIdentifier()));
  return Welcome{.version = root->version(),
                 .run = value_of(root->run()),
                 .sender = value_of(root->sender()),
                 .features = root->features()};
}

ByteBuffer encode(const Refusal& message) {
  Builder builder;
  const auto text = builder.CreateString(fitting_line(message.text, reason_bytes_max));
  const flat::RunId run = flat_of(message.run);
  return finished(
      builder,
      flat::CreateRefusal(builder, static_cast<flat::RefusalReason>(message.reason), text, &run),
      flat::HelloIdentifier());
}

Result<Refusal> decode_refusal(Bytes body) {
  TRY(root, verified<flat::Refusal>(body, flat::HelloIdentifier()));
  const std::string_view text = value_of(root->text());
  if (text.size() > reason_bytes_max || !is_line(text))
    return corrupt("Refusal", "its text is too long or no line");
  return Refusal{.reason = enum_of<RefusalReason::Leaving>(root->reason()),
                 .text = std::string(text),
                 .run = value_of(root->run())};
}

ByteBuffer encode(const RunSpecText& message) {
  CHECK(message.toml.size() <= run_spec_bytes_max, message.toml.size());
  CHECK(is_lines(message.toml));
  Builder builder;
  const auto toml = builder.CreateString(message.toml);
  const flat::RunId run = flat_of(message.run);
  return finished(builder, flat::CreateRunSpecText(builder, &run, toml), flat::HelloIdentifier());
}

Result<RunSpecText> decode_run_spec(Bytes body) {
  TRY(root, verified<flat::RunSpecText>(body, flat::HelloIdentifier()));
  const std::string_view toml = value_of(root->toml());
  if (toml.size() > run_spec_bytes_max || !is_lines(toml))
    return corrupt("RunSpecText", "it is too long or no text");
  return RunSpecText{.run = value_of(root->run()), .toml = std::string(toml)};
}

}  // namespace quadrille::wire
