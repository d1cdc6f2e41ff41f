#include "bindings/flag_batches.hpp"

#include <cstring>
#include <map>
#include <stdexcept>

#include "api/checks.hpp"

namespace hornbeam::bindings {

namespace {

/// The place of each column of booleans by its name.
std::map<std::string, std::size_t> places_of_flags(const ArrowSchema& schema) {
  std::map<std::string, std::size_t> places;
  for (std::int64_t i = 0; i < schema.n_children; ++i)
    if (std::strcmp(schema.children[i]->format, "b") == 0)
      places.emplace(schema.children[i]->name, static_cast<std::size_t>(i));
  return places;
}

/// An unknown number of missing values is negative; there are none without their bits.
bool misses_values(const ArrowArray& column) { return column.null_count != 0 && column.buffers[0] != nullptr; }

void require_success(ArrowArrayStream& stream, int error) {
  if (error == 0) return;
  const char* const reason = stream.get_last_error(&stream);
  throw std::runtime_error(reason != nullptr ? reason : "the batches of X cannot be read");
}

/// Adds the batches of a stream. False if a column is not one of booleans, or lacks a value.
bool read_stream(const nanobind::capsule& stream, const std::vector<std::string>& names,
                 std::vector<FlagBatch>& found) {
  constexpr const char* kName = "arrow_array_stream";
  api::require(PyCapsule_IsValid(stream.ptr(), kName) == 1, "streams: must be capsules of Arrow streams");
  auto* const batches = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(stream.ptr(), kName));
  api::require(batches->release != nullptr, "streams: one has been read already");
  Released<ArrowSchema> schema;
  require_success(*batches, batches->get_schema(batches, schema.get()));
  const std::map<std::string, std::size_t> places = places_of_flags(*schema.get());
  while (true) {
    FlagBatch batch;
    require_success(*batches, batches->get_next(batches, batch.array.get()));
    if (batch.array->release == nullptr) return true;  // the end
    batch.n_rows = static_cast<std::size_t>(batch.array->length);
    for (const std::string& name : names) {
      const auto place = places.find(name);
      if (place == places.end()) return false;
      const ArrowArray& column = *batch.array->children[place->second];
      if (misses_values(column)) return false;
      data::CodesOfColumn& bits = batch.columns.emplace_back();
      bits.bits = static_cast<const std::uint8_t*>(column.buffers[1]);
      bits.first_bit = static_cast<std::size_t>(column.offset + batch.array->offset);
    }
    if (batch.n_rows > 0) found.push_back(std::move(batch));
  }
}

}  // namespace

std::optional<std::vector<FlagBatch>> read_flags(const std::vector<nanobind::capsule>& streams,
                                                 const std::vector<std::string>& names) {
  std::vector<FlagBatch> found;
  for (const nanobind::capsule& stream : streams)
    if (!read_stream(stream, names, found)) return std::nullopt;
  return found;
}

}  // namespace hornbeam::bindings
