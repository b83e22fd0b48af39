# What every target shares: language, warnings, baseline instruction set, sanitizers.

option(QUADRILLE_TESTS "Build the tests" ON)
option(QUADRILLE_BENCH "Build the benchmarks (needs Google Benchmark)" OFF)
option(QUADRILLE_FUZZ "Build the fuzz targets (needs clang)" OFF)
option(QUADRILLE_ONEDNN "Use oneDNN's sgemm where it is installed" ON)
option(QUADRILLE_UNITY_TESTS "Compile each test program as one file: half the time of a build anew"
  OFF)
set(QUADRILLE_SANITIZE "" CACHE STRING "Sanitizers for every target, e.g. address,undefined")
set(QUADRILLE_SANITIZE_NOT "" CACHE STRING "What of these is left out, e.g. null")

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(QUADRILLE_CCACHE ccache)
if(QUADRILLE_CCACHE)
  # Without these two it caches no file that uses a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${QUADRILLE_CCACHE}")
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()

# A designated initializer leaves members out because their defaults are meant.
add_compile_options(-Wall -Wextra -Wconversion -Wshadow -Wnon-virtual-dtor
  -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms of g++ 12 at -O2 on std::string's operator+ and on small vectors (GCC bug 105651).
  add_compile_options(-Wno-restrict -Wno-stringop-overflow)
endif()
if(CMAKE_UNITY_BUILD)
  # Files are #included there, and g++ warns of a type that has a part of an unnamed namespace and
  # comes from an included file: in these it is meant.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()
# Contraction is the compiler's choice of rounding; the same source must give the same bits.
add_compile_options(-ffp-contract=off)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # The baseline; faster kernels are compiled by file and chosen by cpuid.
  add_compile_options(-march=x86-64-v2)
endif()
if(QUADRILLE_SANITIZE)
  # Without the second, a finding of undefined behaviour is printed and the test passes.
  add_compile_options(-fsanitize=${QUADRILLE_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  # What the sanitizers put between hides from g++ that a value was written.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  if(QUADRILLE_SANITIZE_NOT)
    add_compile_options(-fno-sanitize=${QUADRILLE_SANITIZE_NOT})
  endif()
  add_link_options(-fsanitize=${QUADRILLE_SANITIZE})
endif()
# The driver and the tests' own code run for moments, and are compiled for the compiler's time: that
# halves a build.
if(QUADRILLE_SANITIZE)
  set(QUADRILLE_COLD_CODE -O0)
else()
  set(QUADRILLE_COLD_CODE -O1)
endif()
if(QUADRILLE_FUZZ)
  # Coverage in every library; the targets of tests/fuzz link libFuzzer itself.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# A package that tools/setup installs: a failure to find it names the line that mends it.
macro(quadrille_find_package name debian_package)
  find_package(${name} QUIET ${ARGN})
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "${name} was not found. Install it with:  apt-get install "
                        "${debian_package}  (or run tools/setup, which installs everything).")
  endif()
endmacro()
