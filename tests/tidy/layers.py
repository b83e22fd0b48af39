"""Who may include what: the layers of ARCHITECTURE.md, and each outside library's one folder."""
import re

# A module may include itself and these. A path names one header of a module.
MODULES = {
    "base": [],
    "codec": ["base"],
    "wire": ["base"],
    "peer": ["base", "wire"],
    "compute": ["base"],
    "nn": ["base", "compute"],
    "data": ["base", "compute"],
    "train": ["base", "compute", "nn", "data", "peer/learner.hpp"],
    "worker": ["base", "codec", "wire", "peer"],
    "sim": ["base", "wire", "peer"],
    "swarm": ["base", "codec", "wire", "peer", "worker", "compute", "nn", "data", "train", "sim"],
    "node": ["base", "codec", "wire", "peer", "compute", "nn", "data", "train"],
}

# The rooms of a module that has some: one may include itself and those before it.
ROOMS = {"peer": ["transfer", "membership", "session", "status", "placement", "exchange", "objects",
                  "watch"],
         "train": ["score", "lipizzaner"], "node": ["files", "spec", "run", "cli"]}

# Folders of tests that are no module's: they may include anything of the project.
FREE_TESTS = {"support", "bench", "e2e", "fuzz"}

# Header of a library -> the paths that may include it. Tests of the module may, too.
LIBRARIES = [
    (r"((oneapi/)?dnnl|omp\.h)", r"src/compute/cpu/.*\.cpp"),
    (r"(flatbuffers/|.*_generated\.h)", r"src/wire/.*\.cpp"),
    # Only bytes can tell what another version sends: today's structs know nothing of it.
    (r"(flatbuffers/.*|version2_generated)\.h", r"src/sim/next_version(_test)?\.cpp"),
    (r"(CLI/CLI|nlohmann/json)\.hpp", r"src/sim/.*\.cpp"),
    (r"asio", r"src/node/"),
    (r"Eigen/", r"src/train/score/.*\.cpp"),
    (r"(toml\+\+/|CLI/|nlohmann/|spdlog/|png\.h)", r"src/node/.*\.cpp"),
    (r"zstd", r"src/codec/.*\.cpp"),
    (r"xxhash\.h", r"src/(codec|data|node|sim|train)/.*\.cpp"),
    (r"zlib\.h", r"src/data/.*\.cpp"),
    (r"boost/test/", r"tests/"),
    (r"nlohmann/json\.hpp", r"tests/.*\.cpp"),
    (r"benchmark/", r"tests/bench/"),
    # Vector instructions: kernels are compiled by file and chosen by cpuid.
    (r"(immintrin|x86intrin|cpuid|arm_neon)\.h", r"src/(compute/cpu|codec|base)/"),
    # The operating system.
    (r"((sys|linux|netinet|arpa)/.*|unistd|fcntl|signal|poll|pthread|sched|termios|pwd|dlfcn)\.h",
     r"(src/node|tests)/"),
    (r"(sys/mman|unistd|sys/stat|fcntl)\.h", r"src/(compute/cpu|data)/.*\.cpp"),
    (r"(sys/ioctl|unistd|fcntl)\.h", r"src/swarm/main\.cpp"),
    (r"(stdlib|stdio|string|math|errno)\.h", r"tests/"),
]

STANDARD_HEADER = re.compile(r"[a-z_0-9]+$")


def module_of(path):
    """'src/nn/network.cpp' and 'tests/nn/network_test.cpp' -> 'nn'; None outside src and tests."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 and parts[0] in ("src", "tests") else None


def _allowed_project_include(path, included):
    module = module_of(path)
    if path.startswith("tests/"):
        if included.startswith(("support/", "fuzz/", f"{module}/")):
            return True
        if module in FREE_TESTS:
            return True
    if module not in MODULES:
        return False
    target = included.split("/")[0]
    return target == module or target in MODULES[module] or included in MODULES[module]


def _later_room(path, included):
    """Whether a file of one room includes a header of a room that comes after it."""
    own, other = path.split("/")[1:], included.split("/")
    rooms = ROOMS.get(own[0], [])
    if own[0] != other[0] or own[1] not in rooms or other[1] not in rooms:
        return False
    return rooms.index(other[1]) > rooms.index(own[1])


def _library_places(header):
    return [place for pattern, place in LIBRARIES if re.match(pattern, header)]


def _tested_path(path):
    """The path of src that a test file stands in for."""
    return "src/" + path.removeprefix("tests/") if path.startswith("tests/") else path


def check_include(path, quoted, included):
    """None when the file may include that header; else the rule that it breaks, in words."""
    if quoted:
        if _allowed_project_include(path, included):
            if path.startswith("src/") and _later_room(path, included):
                return f'"{included}" is above this room ({" <- ".join(ROOMS[module_of(path)])})'
            return None
        allowed = ", ".join(MODULES.get(module_of(path), [])) or "itself only"
        return f'"{included}" is not below {module_of(path)} (it may include: {allowed})'
    if STANDARD_HEADER.match(included):
        return None
    places = _library_places(included)
    if not places:
        return f"<{included}> belongs to no library in tests/tidy/layers.py: give it its one folder"
    for place in places:
        if re.match(place, path) or re.match(place, _tested_path(path)):
            return None
    if module_of(path) in FREE_TESTS and path.startswith("tests/"):
        return None
    return f"<{included}> may only be included in {' or '.join(places)}"
