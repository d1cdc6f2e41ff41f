#include "run/checkpoint.hpp"

#ifndef _WIN32
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#else
#include <io.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/digest.hpp"

namespace hornbeam::run {

namespace {

constexpr std::uint64_t kMagic = 0x6d616562'6e726f68;  // "hornbeam"
/// Raise it whenever keys, bounds, or what is saved get another meaning.
constexpr std::uint64_t kVersion = 1;
#ifdef HORNBEAM_EXACT_SUPPORT_SETS
constexpr std::uint64_t kKeyKind = 1;
#else
constexpr std::uint64_t kKeyKind = 0;
#endif
constexpr std::size_t kFixedHead = 4;  // magic, version, kind of keys, number of parts

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }  // NOLINT(cppcoreguidelines-owning-memory)
};
using File = std::unique_ptr<std::FILE, Close>;

/// Why the last call failed.
std::string reason() { return std::generic_category().message(errno); }

bool sync(std::FILE* file) {
#ifdef _WIN32
  return std::fflush(file) == 0 && _commit(_fileno(file)) == 0;
#else
  return std::fflush(file) == 0 && fsync(fileno(file)) == 0;
#endif
}

/// So that the new name survives a power cut, too.
void sync_directory(const std::string& path) {
#ifndef _WIN32
  const std::string parent = std::filesystem::path(path).parent_path().string();
  const int directory = open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_CLOEXEC);
  if (directory < 0) return;
  fsync(directory);  // not every file system can
  close(directory);
#endif
}

/// Writes whole words and a checksum. Errors stay until they are asked for.
class Writer {
 public:
  explicit Writer(std::FILE* file) : file_(file) {}
  void put(std::uint64_t word) {
    buffer_[used_++] = word;
    checksum_.add(word);
    if (used_ == buffer_.size()) flush();
  }
  bool finish() {
    put(checksum_.value());
    flush();
    return is_good_ && sync(file_);
  }

 private:
  void flush() {
    is_good_ = is_good_ && std::fwrite(buffer_.data(), sizeof(buffer_[0]), used_, file_) == used_;
    used_ = 0;
  }
  std::FILE* file_;
  std::array<std::uint64_t, 4096> buffer_;
  std::size_t used_ = 0;
  Digest checksum_;
  bool is_good_ = true;
};

}  // namespace

Checkpoint::Checkpoint(CheckpointOptions options, const std::vector<CheckpointPart>& parts)
    : options_(std::move(options)), head_{kMagic, kVersion, kKeyKind, parts.size()} {
  for (const CheckpointPart& part : parts) head_.push_back(part.digest);
  if (std::filesystem::is_directory(path_)) refuse("is a directory. Name a file");
  lock();
  try {
    check_writable();
    if (std::filesystem::exists(path_)) read(parts);
    if (saved_) tell({"", *saved_});
  } catch (...) {
    unlock();
    throw;
  }
}

Checkpoint::~Checkpoint() { unlock(); }

void Checkpoint::unlock() {
#ifndef _WIN32
  if (lock_ < 0) return;
  unlink((path_ + ".lock").c_str());  // while it is still locked
  close(std::exchange(lock_, -1));
#endif
}

void Checkpoint::tell(const CheckpointNews& news) const {
  if (options_.on_news) options_.on_news(news);
}

void Checkpoint::refuse(const std::string& why) const {
  throw std::invalid_argument("checkpoint='" + path_ + "' " + why + ".");
}

void Checkpoint::lock() {
#ifndef _WIN32
  const std::string name = path_ + ".lock";
  while (true) {
    lock_ = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock_ < 0)
      refuse("cannot be written: " + reason() + ". Name a file in a directory that exists and may be written to");
    if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
      close(std::exchange(lock_, -1));
      refuse("is in use by another search. Wait until it ends, or name another file");
    }
    // The other process may have removed the name between the two calls.
    struct stat mine{};
    struct stat named{};
    if (fstat(lock_, &mine) == 0 && stat(name.c_str(), &named) == 0 && mine.st_ino == named.st_ino) return;
    close(std::exchange(lock_, -1));
  }
#endif
}

void Checkpoint::check_writable() const {
  const std::string name = path_ + ".tmp";
  const File file(std::fopen(name.c_str(), "wb"));
  if (!file) refuse("cannot be written: " + reason());
  std::remove(name.c_str());
}

void Checkpoint::read(const std::vector<CheckpointPart>& parts) {
  const File file(std::fopen(path_.c_str(), "rb"));
  if (!file) refuse("cannot be read: " + reason());
  check_words(file.get());
  if (std::fseek(file.get(), 0, SEEK_SET) != 0) refuse("cannot be read: " + reason());
  const Get get = reader(file.get());
  check_parts(get, parts);
  SavedProgress found;
  found.seconds = std::bit_cast<double>(get());
  found.lower = static_cast<Ticks>(get());
  found.has_guessed = get() != 0;
  for (std::uint64_t left = get(); left > 0; --left) {
    found.column.push_back(static_cast<std::int32_t>(get()));
    found.left.push_back(static_cast<std::int32_t>(get()));
    found.right.push_back(static_cast<std::int32_t>(get()));
  }
  saved_ = std::move(found);
  body_at_ = std::ftell(file.get());
}

Checkpoint::Get Checkpoint::reader(std::FILE* file) const {
  return [this, file] {
    std::uint64_t word = 0;
    if (std::fread(&word, sizeof(word), 1, file) != 1) refuse("ended while it was read");
    return word;
  };
}

/// Checks what comes first in the file, then its checksum.
void Checkpoint::check_words(std::FILE* file) const {
  std::array<std::uint64_t, 4096> words{};
  Digest checksum;
  std::uint64_t n_words = 0, last = 0;
  std::size_t n_bytes = 0;
  do {
    n_bytes = std::fread(words.data(), 1, sizeof(words), file);
    if (n_bytes == 0) break;
    if (n_words == 0 && (n_bytes < sizeof(kMagic) || words[0] != kMagic))
      refuse("is no checkpoint of hornbeam. Name another file");
    if (n_words == 0 && n_bytes >= 2 * sizeof(kMagic) && words[1] != kVersion)
      refuse("was written by another version of hornbeam: its format is " + std::to_string(words[1]) + ", not " +
             std::to_string(kVersion) + ". Use that version, or remove the file to start anew");
    if (n_bytes % sizeof(words[0]) != 0) refuse("is torn: it ends in the middle of a number. Remove it to start anew");
    for (std::size_t i = 0; i < n_bytes / sizeof(words[0]); ++i) {
      if (n_words++ > 0) checksum.add(last);
      last = words[i];
    }
  } while (n_bytes == sizeof(words));
  if (n_words == 0) refuse("is no checkpoint of hornbeam: it is empty. Name another file");
  if (n_words < kFixedHead || checksum.value() != last)
    refuse("is torn or altered: its checksum differs. Remove it to start anew");
}

void Checkpoint::check_parts(const Get& get, const std::vector<CheckpointPart>& parts) const {
  for (std::size_t i = 0; i < 2; ++i) get();
  if (get() != kKeyKind) refuse("has keys of another build of hornbeam. Use that build, or name another file");
  if (get() != parts.size()) refuse("is of another kind of problem. Name another file");
  std::string differing;
  for (const CheckpointPart& part : parts)
    if (get() != part.digest) differing += (differing.empty() ? "" : ", ") + std::string(part.name);
  if (!differing.empty())
    refuse("is of another problem, which differs in: " + differing +
           ". Fit with what the file was written for, or name another file");
}

void Checkpoint::read_body(const std::function<void(const Get&)>& read) const {
  const File file(std::fopen(path_.c_str(), "rb"));
  if (!file || std::fseek(file.get(), body_at_, SEEK_SET) != 0) refuse("cannot be read: " + reason());
  read(reader(file.get()));
}

void Checkpoint::save(SavedProgress progress, const std::function<void(const Put&)>& put_body) {
  if (saved_) progress.seconds += saved_->seconds;
  const std::string name = path_ + ".tmp";
  const bool has_failed_before = !std::exchange(error_, "").empty();
  errno = 0;
  File file(std::fopen(name.c_str(), "wb"));
  bool is_good = file != nullptr;
  if (is_good) {
    Writer writer(file.get());
    for (const std::uint64_t word : head_) writer.put(word);
    writer.put(std::bit_cast<std::uint64_t>(progress.seconds));
    writer.put(static_cast<std::uint64_t>(progress.lower));
    writer.put(progress.has_guessed ? 1 : 0);
    writer.put(progress.column.size());
    for (std::size_t node = 0; node < progress.column.size(); ++node)
      for (const auto* const part : {&progress.column, &progress.left, &progress.right})
        writer.put(static_cast<std::uint32_t>((*part)[node]));
    put_body([&writer](std::uint64_t word) { writer.put(word); });
    is_good = writer.finish();
    if (!is_good) error_ = reason();
    if (std::fclose(file.release()) != 0 && is_good) {
      is_good = false;
      error_ = reason();
    }
  } else {
    error_ = reason();
  }
  std::error_code failed;
  if (is_good) std::filesystem::rename(name, path_, failed);
  if (failed) error_ = failed.message();
  written_ = Clock::now();
  if (error_.empty()) return sync_directory(path_);
  std::filesystem::remove(name, failed);
  ++n_failed_;
  if (!has_failed_before) tell({error_, std::move(progress)});
}

}  // namespace hornbeam::run
