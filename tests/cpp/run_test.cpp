// run_test.cpp: run/run.hpp and run/threads.hpp.
#include "run/run.hpp"

#include <new>
#include <stdexcept>
#include <vector>

#include "run/threads.hpp"
#include "support/check.hpp"

namespace hornbeam::testing::run_test {

using namespace hornbeam::run;

TEST(the_first_reason_to_stop_wins) {
  Run run;
  CHECK(run.check() && !run.stopped() && !run.reason());
  run.require();
  run.stop(Status::memory_limit);
  run.stop(Status::interrupted);
  CHECK(run.stopped() && run.reason() == Status::memory_limit);
  CHECK_THROWS(Stopped, run.require());
}

TEST(a_run_without_time_stops_when_its_clock_is_first_read) {
  Run run({.seconds = 0.0});
  CHECK(!run.stopped());
  CHECK_THROWS(Stopped, run.require());
  CHECK(run.reason() == Status::time_limit);
}

TEST(a_stop_before_the_search_comes_from_an_interrupt_or_from_too_little_memory) {
  const SearchLimits limits{.bytes = 100, .interrupted = [] { return true; }};
  Run interrupted(limits);
  const auto wait = [&] {
    while (true) interrupted.require();
  };
  CHECK_THROWS(Stopped, wait());
  CHECK(interrupted.reason() == Status::interrupted);
  Run full(limits);
  CHECK(full.check(100));
  CHECK_THROWS(Stopped, full.require(101));
  CHECK(full.reason() == Status::memory_limit);
}

TEST(a_meter_polls_whenever_so_much_work_is_spent_and_says_no_once_the_run_is_stopped) {
  Run run;
  int n_polls = 0;
  WorkMeter meter(run, 10, [&] {
    if (++n_polls == 3) run.stop(Status::time_limit);
  });
  CHECK(meter.spend(9) && n_polls == 0);
  meter.add(1);
  CHECK(n_polls == 0 && meter.spend(0) && n_polls == 1);
  CHECK(meter.spend(25) && n_polls == 2);
  CHECK(!meter.spend(10) && n_polls == 3);
  CHECK_EQUAL(meter.spent(), 45u);
  CHECK_THROWS(Stopped, meter.require(1));
}

TEST(a_report_adds_to_the_trace_what_has_changed_and_stops_at_the_gap) {
  std::vector<Ticks> seen;
  Run run({.gap = 0.1}, [&](const Progress& now) {
    seen.push_back(now.lower);
    return false;
  });
  run.report({100, 50, 1, 7, 2});
  run.report({100, 50, 2, 9, 2});
  run.report({100, 80, 3, 8, 2});
  CHECK(!run.stopped());
  run.report({100, 90, 4, 8, 2});
  CHECK(run.reason() == Status::gap_limit);
  CHECK(seen == (std::vector<Ticks>{50, 50, 80}));
  const Outcome outcome = run.finish({{-1}, {-1}, {-1}, {0}, 100, {}}, {100, 95, 5, 8, 2}, {}, 6);
  CHECK(outcome.status == Status::gap_limit);
  CHECK(outcome.lower == 95 && outcome.bytes == 9 && outcome.n_subproblems == 5 && outcome.n_table_entries == 6);
  CHECK(outcome.trace.size() == 4 && outcome.trace[1].lower == 80 && outcome.trace[3].lower == 95);
}

TEST(a_search_that_ends_is_proven_or_ended_on_its_own_or_was_stopped) {
  Run run;
  CHECK(run.status(true, Status::guessed) == Status::optimal);
  CHECK(run.status(false, Status::guessed) == Status::guessed);
  CHECK(run.status(false) == Status::interrupted);
  run.stop(Status::time_limit);
  CHECK(run.status(true) == Status::optimal && run.status(false) == Status::time_limit);
}

TEST(too_little_memory_in_one_thread_stops_all_and_any_other_fault_is_thrown_again) {
  Run run;
  std::vector<int> n_done(3, 0);
  on_threads(run, 3, [&](std::uint32_t i) {
    ++n_done[i];
    if (i == 1) throw std::bad_alloc();
    while (!run.stopped()) {
    }
  });
  CHECK(n_done == std::vector<int>(3, 1) && run.reason() == Status::memory_limit);
  Run faulty;
  const auto work = [&] {
    on_threads(faulty, 3, [&](std::uint32_t i) {
      if (i == 2) throw std::domain_error("fault");
      while (!faulty.stopped()) {
      }
    });
  };
  CHECK_THROWS(std::domain_error, work());
  CHECK(faulty.stopped());
}

}  // namespace hornbeam::testing::run_test
