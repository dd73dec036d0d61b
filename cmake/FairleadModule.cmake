# Precompiled headers: fairlead_library_headers for libraries, fairlead_test_headers for test programs. Reading the
# standard library's headers takes most of the time of a compilation; these are read once a tree.
function(fairlead_precompiled_headers)
  set(folder ${CMAKE_SOURCE_DIR}/cmake/precompiled)
  add_library(fairlead_library_headers OBJECT ${folder}/empty.cc)
  target_link_libraries(fairlead_library_headers PRIVATE absl::any_invocable absl::function_ref absl::flat_hash_map)
  target_precompile_headers(fairlead_library_headers PRIVATE ${folder}/library_headers.h)
  add_library(fairlead_test_headers OBJECT ${folder}/empty.cc)
  target_link_libraries(fairlead_test_headers PRIVATE fairlead_test_options)
  target_precompile_headers(fairlead_test_headers PRIVATE ${folder}/test_headers.h)
endfunction()

# What a test program is compiled with beside the flags of all targets. The tests' own code is not optimised in release
# builds: what it calls in the libraries is, and compiling it takes a third of the time.
add_library(fairlead_test_options INTERFACE)
target_link_libraries(fairlead_test_options INTERFACE GTest::gmock GTest::gtest absl::any_invocable absl::function_ref
                      absl::flat_hash_map)
target_compile_definitions(fairlead_test_options INTERFACE FAIRLEAD_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_compile_options(fairlead_test_options INTERFACE -fPIC) # as the headers are: an executable would be -fPIE
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT FAIRLEAD_SANITIZE)
  target_compile_options(fairlead_test_options INTERFACE -O0 -U_FORTIFY_SOURCE)
endif()

# fairlead_module(NAME [DEPS targets...] [LIBS external targets...])
#
# Makes one floor: a static library `fairlead_NAME` of every *.cc in the folder (and in its subfolders), a test program
# `NAME_test` of the *_test.cc files, a benchmark `NAME_bench` of the *_bench.cc files, and one fuzzer a *_fuzz.cc file.
# A fuzzer links libFuzzer in the `fuzz` preset; in every other one it links tools/replay_corpus.cc, which plays the
# corpus in tests/fuzz/<fuzzer>/ once as an ordinary test.
function(fairlead_module name)
  cmake_parse_arguments(ARG "" "" "DEPS;LIBS" ${ARGN})
  file(GLOB_RECURSE all CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  set(sources ${all})
  list(FILTER sources EXCLUDE REGEX "_(test|bench|fuzz|main)\\.cc$")
  set(tests ${all})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set(benches ${all})
  list(FILTER benches INCLUDE REGEX "_bench\\.cc$")
  set(fuzzers ${all})
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")

  set(lib fairlead_${name})
  if(sources)
    add_library(${lib} STATIC ${sources})
    set(scope PUBLIC)
  else()
    add_library(${lib} INTERFACE)
    set(scope INTERFACE)
  endif()
  if(sources)
    target_precompile_headers(${lib} REUSE_FROM fairlead_library_headers)
  endif()
  target_include_directories(${lib} ${scope} ${CMAKE_SOURCE_DIR}/src)
  set(deps ${ARG_DEPS})
  list(TRANSFORM deps PREPEND fairlead_)
  target_link_libraries(${lib} ${scope} ${deps} ${ARG_LIBS})
  if(FAIRLEAD_COVERAGE AND name MATCHES "^(registry|resources|admission)$") # the floors that hold rules
    target_compile_options(${lib} PRIVATE -g -fprofile-instr-generate -fcoverage-mapping)
    target_compile_definitions(${lib} PUBLIC FAIRLEAD_RULE_LOG)
  endif()

  if(tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE ${lib} fairlead_test_options GTest::gtest_main)
    target_precompile_headers(${name}_test REUSE_FROM fairlead_test_headers)
    add_test(NAME ${name} COMMAND ${name}_test)
  endif()
  if(benches AND NOT FAIRLEAD_SANITIZE)
    add_executable(${name}_bench EXCLUDE_FROM_ALL ${benches})
    target_link_libraries(${name}_bench PRIVATE ${lib} benchmark::benchmark benchmark::benchmark_main)
    target_compile_definitions(${name}_bench PRIVATE FAIRLEAD_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  endif()
  foreach(fuzzer IN LISTS fuzzers)
    get_filename_component(fuzz ${fuzzer} NAME_WE)
    if(FAIRLEAD_SANITIZE STREQUAL "fuzzer")
      add_executable(${fuzz} ${fuzzer})
      target_link_options(${fuzz} PRIVATE -fsanitize=fuzzer)
    else()
      add_executable(${fuzz} ${fuzzer} ${CMAKE_SOURCE_DIR}/tools/replay_corpus.cc)
      add_test(NAME ${fuzz} COMMAND ${fuzz} ${CMAKE_SOURCE_DIR}/tests/fuzz/${fuzz})
    endif()
    target_link_libraries(${fuzz} PRIVATE ${lib})
  endforeach()
endfunction()
