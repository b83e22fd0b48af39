# A module is one folder of src with one static library, quadrille_<name>. Each of its headers
# stands alone: one that has a source of its own is included first there (the tidy test looks), the
# others are compiled by themselves (target all_verify_interface_header_sets).
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
  set(sourced "")
  set(unsourced "")
  foreach(header IN LISTS arg_HEADERS)
    string(REGEX REPLACE "\\.hpp$" ".cpp" source "${header}")
    if(source IN_LIST arg_SOURCES)
      list(APPEND sourced "${header}")
    else()
      list(APPEND unsourced "${header}")
    endif()
  endforeach()
  target_sources(${target} ${scope}
    FILE_SET HEADERS BASE_DIRS "${CMAKE_SOURCE_DIR}/src" FILES ${sourced}
    FILE_SET unsourced TYPE HEADERS BASE_DIRS "${CMAKE_SOURCE_DIR}/src" FILES ${unsourced})
  target_include_directories(${target} ${scope} "${CMAKE_SOURCE_DIR}/src")
  foreach(module IN LISTS arg_DEPENDS)
    target_link_libraries(${target} ${scope} quadrille_${module})
  endforeach()
  if(arg_PRIVATE_LIBRARIES)
    target_link_libraries(${target} PRIVATE ${arg_PRIVATE_LIBRARIES})
  endif()
  set_target_properties(${target} PROPERTIES
    VERIFY_INTERFACE_HEADER_SETS ON INTERFACE_HEADER_SETS_TO_VERIFY unsourced)
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
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${QUADRILLE_UNITY_TESTS} UNITY_BUILD_BATCH_SIZE 0)
  if(QUADRILLE_UNITY_TESTS)
    # As for every unity build (QuadrilleOptions.cmake).
    target_compile_options(${target} PRIVATE
      $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
  target_include_directories(${target} PRIVATE "${CMAKE_SOURCE_DIR}/tests")
  target_compile_definitions(${target} PRIVATE QUADRILLE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${target} --log_level=test_suite --report_level=short)
endfunction()
