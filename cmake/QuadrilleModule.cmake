# A module is one folder of src with one static library, quadrille_<name>; its headers are checked
# to stand alone (target all_verify_interface_header_sets).
#
#   quadrille_module(codec HEADERS codec.hpp SOURCES codec.cpp DEPENDS base
#                    [PRIVATE_LIBRARIES PkgConfig::ZSTD])
#
# HEADERS and SOURCES are relative to the module's folder. DEPENDS names modules; the tidy test
# holds the includes to the same layers. PRIVATE_LIBRARIES are outside libraries, seen by the
# module's .cpp files only.
function(quadrille_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;SOURCES;DEPENDS;PRIVATE_LIBRARIES")
  set(target quadrille_${name})
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_sources(${target} ${scope}
    FILE_SET HEADERS BASE_DIRS "${CMAKE_SOURCE_DIR}/src" FILES ${arg_HEADERS})
  target_include_directories(${target} ${scope} "${CMAKE_SOURCE_DIR}/src")
  foreach(module IN LISTS arg_DEPENDS)
    target_link_libraries(${target} ${scope} quadrille_${module})
  endforeach()
  if(arg_PRIVATE_LIBRARIES)
    target_link_libraries(${target} PRIVATE ${arg_PRIVATE_LIBRARIES})
  endif()
  set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()

# The tests of one module: one executable, one CTest entry, the shared main of tests/support.
#
#   quadrille_test(codec SOURCES int8_test.cpp ... DEPENDS codec [LIBRARIES PkgConfig::ZSTD])
function(quadrille_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;LIBRARIES")
  set(target ${name}_test)
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE quadrille_test_main ${arg_LIBRARIES})
  foreach(module IN LISTS arg_DEPENDS)
    target_link_libraries(${target} PRIVATE quadrille_${module})
  endforeach()
  target_precompile_headers(${target} REUSE_FROM quadrille_test_main)
  target_include_directories(${target} PRIVATE "${CMAKE_SOURCE_DIR}/tests")
  target_compile_definitions(${target} PRIVATE QUADRILLE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${target} --log_level=test_suite --report_level=short)
endfunction()
