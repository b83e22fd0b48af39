// The least of what the machine, a limit on addresses and the control groups leave; the groups'
// files as they stand in containers and outside of them.
#include "node/run/available_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <limits>
#include <string>
#include <string_view>

#include "support/scratch_directory.hpp"
#include "support/signal_of.hpp"

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(available_memory)

namespace {

constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();

// The proc and sys of a machine that has 1000 KiB to give.
class Machine {
 public:
  Machine() {
    put("proc/meminfo",
        "MemTotal:        4000 kB\nMemFree:     500 kB\nMemAvailable:    1000 kB\n");
  }
  void put(std::string_view name, std::string_view contents) const {
    const auto path = root_ / name;
    std::filesystem::create_directories(path.parent_path());
    test::put_contents(path, contents);
  }
  void limit_2(const std::string& group, std::string_view max, std::string_view current) const {
    put("sys/fs/cgroup" + group + "/memory.max", max);
    put("sys/fs/cgroup" + group + "/memory.current", current);
  }
  void limit_1(const std::string& group, std::string_view max, std::string_view current) const {
    put("sys/fs/cgroup/memory" + group + "/memory.limit_in_bytes", max);
    put("sys/fs/cgroup/memory" + group + "/memory.usage_in_bytes", current);
  }
  std::uint64_t available() const { return available_memory_bytes(root_.path()); }

 private:
  test::ScratchDirectory root_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_machine_without_limits_gives_what_it_says_is_available) {
  BOOST_TEST(Machine().available() == 1'024'000u);
  const test::ScratchDirectory nothing;
  BOOST_TEST(available_memory_bytes(nothing.path()) == unknown);
}

BOOST_AUTO_TEST_CASE(a_group_gives_what_its_limit_leaves) {
  const Machine machine;
  machine.put("proc/self/cgroup", "0::/user.slice/run-7.scope\n");
  machine.limit_2("/user.slice/run-7.scope", "700000\n", "200000\n");
  BOOST_TEST(machine.available() == 500'000u);
  machine.limit_2("/user.slice/run-7.scope", "700000\n", "800000\n");
  BOOST_TEST(machine.available() == 0u);
  machine.limit_2("/user.slice/run-7.scope", "max\n", "200000\n");
  BOOST_TEST(machine.available() == 1'024'000u);
  machine.limit_2("/user.slice/run-7.scope", "9000000\n", "200000\n");
  BOOST_TEST(machine.available() == 1'024'000u);
}

BOOST_AUTO_TEST_CASE(the_groups_above_limit_too) {
  const Machine machine;
  machine.put("proc/self/cgroup", "0::/user.slice/run-7.scope\n");
  machine.limit_2("/user.slice/run-7.scope", "max\n", "200000\n");
  machine.limit_2("/user.slice", "900000\n", "500000\n");
  BOOST_TEST(machine.available() == 400'000u);
}

// It sees its own group as the root of all.
BOOST_AUTO_TEST_CASE(a_container_s_limit_stands_at_the_mount) {
  const Machine machine;
  machine.put("proc/self/cgroup", "0::/\n");
  machine.limit_2("", "700000\n", "600000\n");
  BOOST_TEST(machine.available() == 100'000u);
}

BOOST_AUTO_TEST_CASE(pages_of_files_are_given_up_and_count_as_free) {
  const Machine machine;
  machine.put("proc/self/cgroup", "0::/\n");
  machine.limit_2("", "700000\n", "690000\n");
  machine.put("sys/fs/cgroup/memory.stat",
              "anon 300000\nfile 390000\ninactive_file 250000\nactive_file 40000\n");
  BOOST_TEST(machine.available() == 300'000u);
}

BOOST_AUTO_TEST_CASE(groups_of_version_1_limit_by_their_own_names) {
  const Machine machine;
  machine.put("proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/job\n3:cpuset:/\n0::/\n");
  machine.limit_1("", "9223372036854771712\n", "500000\n");
  BOOST_TEST(machine.available() == 1'024'000u);
  machine.limit_1("/job", "700000\n", "500000\n");
  BOOST_TEST(machine.available() == 200'000u);
  machine.put("sys/fs/cgroup/memory/job/memory.stat",
              "inactive_file 7\ntotal_inactive_file 100000\ntotal_active_file 50000\n");
  BOOST_TEST(machine.available() == 350'000u);
}

// The path is the host's there.
BOOST_AUTO_TEST_CASE(a_container_of_version_1_has_its_limit_at_the_mount) {
  const Machine machine;
  machine.put("proc/self/cgroup", "4:memory:/docker/2f0c\n");
  machine.limit_1("", "700000\n", "500000\n");
  BOOST_TEST(machine.available() == 200'000u);
}

BOOST_AUTO_TEST_CASE(a_limit_on_addresses_leaves_what_is_not_taken) {
  constexpr std::uint64_t left_max = std::uint64_t{64} << 20;
  const auto limited = [] {
    const std::string statm = test::contents_of("/proc/self/statm");
    const rlim_t used = std::stoull(statm) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
    const rlimit addresses{used + left_max, used + left_max};
    ::setrlimit(RLIMIT_AS, &addresses);
    const std::uint64_t available = available_memory_bytes();
    if (available <= left_max && available > left_max / 2) std::raise(SIGUSR1);
  };
  BOOST_TEST(test::signal_of(limited) == SIGUSR1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node
