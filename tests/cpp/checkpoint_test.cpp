// checkpoint_test.cpp: run/checkpoint.hpp.
#include "run/checkpoint.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#ifndef _WIN32
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#endif

#include "base/digest.hpp"
#include "support/check.hpp"

namespace hornbeam::testing::checkpoint_test {

using namespace hornbeam::run;

namespace {

using Words = std::vector<std::uint64_t>;

std::vector<CheckpointPart> some_parts() { return {{"the rows", 11}, {"max_depth", 12}}; }
Words some_body() { return {7, 0, ~std::uint64_t{0}}; }

SavedProgress some_progress() { return {1.5, 42, true, {3, -1, -1}, {1, -1, -1}, {2, -1, -1}}; }

/// A folder of its own, removed with all that is in it.
class Folder {
 public:
  Folder() {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  Folder(Folder&&) = delete;
  Folder& operator=(Folder&&) = delete;

  std::string file() const { return (path_ / "run.hbt").string(); }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  static std::string unique() {
#ifdef _WIN32
    return "hornbeam_checkpoint_test";
#else
    return "hornbeam_checkpoint_test_" + std::to_string(getpid());
#endif
  }
  const std::filesystem::path path_ = std::filesystem::temp_directory_path() / unique();
};

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

void put_words(const Words& words, const Checkpoint::Put& put) {
  for (const std::uint64_t word : words) put(word);
}

void save_some(Checkpoint& checkpoint) {
  checkpoint.save(some_progress(), [](const Checkpoint::Put& put) { put_words(some_body(), put); });
}

/// The bytes of a checkpoint.
std::string written(const std::string& path) {
  Checkpoint checkpoint({path}, some_parts());
  save_some(checkpoint);
  return read_file(path);
}

/// Why the file is refused; empty if it is read.
std::string refusal(const std::string& path, const std::vector<CheckpointPart>& parts = some_parts()) {
  try {
    const Checkpoint checkpoint({path}, parts);
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// The same file with a word changed and a checksum that fits.
std::string with_word(const std::string& bytes, std::size_t at, std::uint64_t word) {
  Words words(bytes.size() / sizeof(word));
  std::memcpy(words.data(), bytes.data(), bytes.size());
  words[at] = word;
  words.back() = Digest().add_each(Words(words.begin(), words.end() - 1)).value();
  std::string changed(bytes.size(), '\0');
  std::memcpy(changed.data(), words.data(), bytes.size());
  return changed;
}

}  // namespace

TEST(what_is_written_is_read) {
  const Folder folder;
  written(folder.file());
  CHECK(folder.names() == std::vector<std::string>{"run.hbt"});
  const Checkpoint again({folder.file()}, some_parts());
  CHECK(again.saved().has_value());
  const SavedProgress found = again.saved().value_or(SavedProgress{}), expected = some_progress();
  CHECK(found.seconds == expected.seconds && found.lower == expected.lower);
  CHECK(found.has_guessed && found.column == expected.column);
  CHECK(found.left == expected.left && found.right == expected.right);
  Words body;
  again.read_body(
      [&](const Checkpoint::Get& get) { std::generate_n(std::back_inserter(body), some_body().size(), get); });
  CHECK(body == some_body());
}

TEST(a_body_of_many_words_is_read_as_it_was_written) {
  const Folder folder;
  Words many(100'000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = mix(i);
  {
    Checkpoint checkpoint({folder.file()}, some_parts());
    checkpoint.save({}, [&](const Checkpoint::Put& put) { put_words(many, put); });
  }
  Words body;
  Checkpoint({folder.file()}, some_parts()).read_body([&](const Checkpoint::Get& get) {
    std::generate_n(std::back_inserter(body), many.size(), get);
  });
  CHECK(body == many);
}

TEST(without_a_file_there_is_nothing_saved) {
  const Folder folder;
  const Checkpoint checkpoint({folder.file()}, some_parts());
  CHECK(!checkpoint.saved());
}

TEST(the_seconds_of_all_runs_add_up) {
  const Folder folder;
  written(folder.file());
  written(folder.file());
  CHECK(Checkpoint({folder.file()}, some_parts()).saved().value_or(SavedProgress{}).seconds == 3.0);
}

TEST(a_file_torn_at_any_byte_is_refused_and_stays) {
  const Folder folder;
  const std::string whole = written(folder.file());
  for (std::size_t n_bytes = 0; n_bytes < whole.size(); ++n_bytes) {
    const std::string torn = whole.substr(0, n_bytes);
    write_file(folder.file(), torn);
    const std::string why = refusal(folder.file());
    CHECK(has(why, n_bytes < 8 ? "no checkpoint of hornbeam" : "torn"));
    CHECK(read_file(folder.file()) == torn);
    CHECK(folder.names() == std::vector<std::string>{"run.hbt"});
  }
}

RANDOM_TEST(a_file_with_any_byte_altered_is_refused_and_stays, 3) {
  const Folder folder;
  const std::string whole = written(folder.file());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string altered = whole;
    altered[at] = static_cast<char>(altered[at] ^ (1 << draw.size_between(0, 7)));
    write_file(folder.file(), altered);
    const char* const expected = at < 8 ? "no checkpoint of hornbeam" : at < 16 ? "another version" : "altered";
    CHECK(has(refusal(folder.file()), expected));
    CHECK(read_file(folder.file()) == altered);
  }
}

TEST(a_file_that_goes_on_after_its_checksum_is_refused) {
  const Folder folder;
  const std::string whole = written(folder.file());
  for (const std::size_t more : {1, 8, 80}) {
    write_file(folder.file(), whole + std::string(more, '\0'));
    CHECK(has(refusal(folder.file()), "torn"));
  }
}

TEST(a_file_of_another_version_or_build_or_kind_is_refused) {
  const Folder folder;
  const std::string whole = written(folder.file());
  write_file(folder.file(), with_word(whole, 1, 1000));
  CHECK(has(refusal(folder.file()), "its format is 1000"));
  write_file(folder.file(), with_word(whole, 2, 1000));
  CHECK(has(refusal(folder.file()), "another build"));
  write_file(folder.file(), with_word(whole, 3, 1000));
  CHECK(has(refusal(folder.file()), "another kind of problem"));
}

TEST(a_file_of_another_problem_is_refused_with_the_parts_that_differ) {
  const Folder folder;
  const std::string whole = written(folder.file());
  const std::string one = refusal(folder.file(), {{"the rows", 11}, {"max_depth", 13}});
  CHECK(has(one, "differs in: max_depth. "));
  const std::string both = refusal(folder.file(), {{"the rows", 10}, {"max_depth", 13}});
  CHECK(has(both, "differs in: the rows, max_depth. "));
  CHECK(has(refusal(folder.file(), {{"the rows", 11}}), "another kind of problem"));
  CHECK(read_file(folder.file()) == whole);
  CHECK(refusal(folder.file()).empty());
}

TEST(a_folder_and_a_path_in_no_folder_are_refused) {
  const Folder folder;
  std::filesystem::create_directory(folder.file());
  CHECK(has(refusal(folder.file()), "is a directory"));
  CHECK(has(refusal(folder.file() + "s/run.hbt"), "cannot be written"));
}

TEST(a_search_that_goes_on_is_told_and_a_new_one_is_not) {
  const Folder folder;
  std::vector<CheckpointNews> news;
  const CheckpointOptions options{folder.file(), 60, [&](const CheckpointNews& each) { news.push_back(each); }};
  {
    Checkpoint checkpoint(options, some_parts());
    save_some(checkpoint);
  }
  CHECK(news.empty());
  const Checkpoint again(options, some_parts());
  CHECK(news.size() == 1 && news[0].error.empty() && news[0].saved.lower == 42 && news[0].saved.seconds == 1.5);
}

#ifndef _WIN32

namespace {

/// Lets no file grow beyond some bytes, as if the disk were full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t n_bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{n_bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  FullDisk(FullDisk&&) = delete;
  FullDisk& operator=(FullDisk&&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

}  // namespace

TEST(a_full_disk_keeps_the_last_file_and_is_told_once_until_a_write_succeeds) {
  const Folder folder;
  const std::string whole = written(folder.file());
  std::vector<std::string> errors;
  const CheckpointOptions options{folder.file(), 60, [&](const CheckpointNews& each) {
                                    if (!each.error.empty()) errors.push_back(each.error);
                                  }};
  Checkpoint checkpoint(options, some_parts());
  const auto fail = [&](rlim_t n_bytes) {
    const FullDisk full(n_bytes);
    save_some(checkpoint);
  };
  for (std::size_t n_bytes = 0; n_bytes < whole.size(); ++n_bytes) {
    fail(n_bytes);
    CHECK(!checkpoint.error().empty());
    CHECK(read_file(folder.file()) == whole);
    CHECK(folder.names() == (std::vector<std::string>{"run.hbt", "run.hbt.lock"}));
  }
  CHECK(errors.size() == 1);
  CHECK_EQUAL(checkpoint.n_failed(), whole.size());
  save_some(checkpoint);
  CHECK(checkpoint.error().empty());
  CHECK(read_file(folder.file()) != whole);
  fail(8);
  CHECK(errors.size() == 2);
  CHECK_EQUAL(checkpoint.n_failed(), whole.size() + 1);
}

TEST(a_path_in_use_is_refused_until_it_is_free) {
  const Folder folder;
  {
    const Checkpoint first({folder.file()}, some_parts());
    CHECK(has(refusal(folder.file()), "in use"));
  }
  CHECK(refusal(folder.file()).empty());
  CHECK(folder.names().empty());
}

TEST(a_listener_that_throws_leaves_no_lock) {
  const Folder folder;
  written(folder.file());
  const CheckpointOptions options{folder.file(), 60, [](const CheckpointNews&) { throw std::runtime_error("no"); }};
  CHECK_THROWS(std::runtime_error, Checkpoint(options, some_parts()));
  CHECK(folder.names() == std::vector<std::string>{"run.hbt"});
}

#endif

}  // namespace hornbeam::testing::checkpoint_test
