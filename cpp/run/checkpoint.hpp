// run/checkpoint.hpp
//
// WHAT    The file that a search saves what it has proven in, and from which the same search goes on.
// FLOW    api/checkpoints opens it -> the search asks `is_due` at its polls and calls `save`; at its start it reads
//         `saved` and `read_body`.
// HOLDS   (C1) The file at `path` is always a whole one: it is written next to it, synced, and renamed. (C2) A
//         file that is torn, altered, or of another problem is refused with what differs. (C3) A failed write keeps the
//         last file, is told, and does not end the search, which tries again after the interval. (C4) One process uses
//         a path at a time (except on Windows).
// COST    It is read twice: for the checksum, and for what it holds.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace hornbeam::run {

/// One part of the problem, and a digest of it.
struct CheckpointPart {
  const char* name;
  std::uint64_t digest;
};

/// What is saved of every search.
struct SavedProgress {
  double seconds = 0;  // of all runs
  Ticks lower = 0;
  bool has_guessed = false;
  std::vector<std::int32_t> column, left, right;  // the best tree; empty if there is none
};

/// What is told of a checkpoint while the search runs: what a search goes on from, if `error` is empty; otherwise why
/// the file could not be written.
struct CheckpointNews {
  std::string error;
  SavedProgress saved;
};

/// Where a search saves what it has proven, and how often in seconds; nowhere if the path is empty.
struct CheckpointOptions {
  std::string path;
  double interval = 60;
  /// Called by the thread that runs the search; may be empty. Of writes that fail one after the other, only the first
  /// is told.
  std::function<void(const CheckpointNews&)> on_news = nullptr;
};

class Checkpoint {
 public:
  using Put = std::function<void(std::uint64_t)>;
  using Get = std::function<std::uint64_t()>;

  /// Reads and checks the file, if there is one. Throws std::invalid_argument if it is refused, or if no file can be
  /// written there.
  Checkpoint(CheckpointOptions options, const std::vector<CheckpointPart>& parts);
  ~Checkpoint();
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;
  Checkpoint(Checkpoint&&) = delete;
  Checkpoint& operator=(Checkpoint&&) = delete;

  /// Of the run that wrote the file; none if there was no file.
  const std::optional<SavedProgress>& saved() const { return saved_; }
  /// Calls `read` with a function that gets what the search has put after the progress, word by word.
  void read_body(const std::function<void(const Get&)>& read) const;

  bool is_due() const { return Clock::now() - written_ >= std::chrono::duration<double>(options_.interval); }
  /// `put_body` puts what the search needs besides. `progress.seconds` are those of this run.
  void save(SavedProgress progress, const std::function<void(const Put&)>& put_body);
  /// What the last write failed for; empty if it has not.
  const std::string& error() const { return error_; }
  std::uint64_t n_failed() const { return n_failed_; }

 private:
  using Clock = std::chrono::steady_clock;
  [[noreturn]] void refuse(const std::string& why) const;
  void lock();
  void unlock();
  void tell(const CheckpointNews& news) const;
  void check_writable() const;
  void read(const std::vector<CheckpointPart>& parts);
  void check_words(std::FILE* file) const;
  Get reader(std::FILE* file) const;
  void check_parts(const Get& get, const std::vector<CheckpointPart>& parts) const;

  const CheckpointOptions options_;
  const std::string& path_ = options_.path;
  std::vector<std::uint64_t> head_;  // the words that say what the file is of
  std::optional<SavedProgress> saved_;
  long body_at_ = 0;  // where `read_body` begins
  Clock::time_point written_ = Clock::now();
  std::string error_;
  std::uint64_t n_failed_ = 0;  // writes
  int lock_ = -1;
};

}  // namespace hornbeam::run
