# How every target of the project is built: the language, the warnings, the linker, and the three kinds of target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_package(Threads REQUIRED)
find_program(BERTH_CCACHE ccache)
if(BERTH_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${BERTH_CCACHE})
endif()
find_program(BERTH_MOLD mold)

add_library(berth_flags INTERFACE)
target_include_directories(berth_flags INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR})
target_compile_options(berth_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wundef -Wimplicit-fallthrough -Werror
  -fstack-protector-strong)
target_compile_definitions(berth_flags INTERFACE _GNU_SOURCE _FILE_OFFSET_BITS=64)
target_link_libraries(berth_flags INTERFACE Threads::Threads)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports string operations that cannot overflow when it inlines them under sanitizers and -O2.
  # It sees uninitialised reads in every std::optional and std::variant of strings; clang's analysis stands in for it.
  target_compile_options(berth_flags INTERFACE -Wno-restrict -Wno-missing-field-initializers
    $<$<NOT:$<CONFIG:Debug>>:-Wno-maybe-uninitialized>)
else()
  target_compile_options(berth_flags INTERFACE -Wno-missing-field-initializers)
endif()
if(BERTH_FUZZ)
  target_compile_options(berth_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(BERTH_MOLD)
  target_link_options(berth_flags INTERFACE -fuse-ld=mold)
endif()
if(BERTH_SANITIZE)
  target_compile_options(berth_flags INTERFACE -fsanitize=${BERTH_SANITIZE} -fno-omit-frame-pointer -g1)
  target_link_options(berth_flags INTERFACE -fsanitize=${BERTH_SANITIZE})
  if(BERTH_SANITIZE MATCHES "undefined")
    target_compile_options(berth_flags INTERFACE -fno-sanitize-recover=undefined)
  endif()
endif()

# Test code is compiled once and run once: optimising it, or checking it for undefined behaviour, costs far more than it
# gives (one file of the conformance suite: 28 s with both, 7 s without). What it calls is built as ever.
add_library(berth_test_flags INTERFACE)
if(BERTH_SANITIZE)
  target_compile_options(berth_test_flags INTERFACE -O0 -fno-sanitize=undefined)
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_options(berth_test_flags INTERFACE -O1)
endif()

# berth_layer(NAME SOURCES a.cc … DEPENDS berth_base … LIBRARIES OpenSSL::Crypto …)
# A layer of src/. DEPENDS are layers whose headers this one's headers use; LIBRARIES are third parties, private.
function(berth_layer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  if(ARG_SOURCES)
    add_library(${name} STATIC ${ARG_SOURCES})
    target_link_libraries(${name} PUBLIC berth_flags ${ARG_DEPENDS} PRIVATE ${ARG_LIBRARIES})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE berth_flags ${ARG_DEPENDS})
  endif()
endfunction()

# berth_test(NAME SOURCES a_test.cc … DEPENDS berth_base …)
# One test program; tools/run_tests.py runs what the build folder's tests.list names.
function(berth_test name)
  if(NOT BERTH_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE berth_flags ${ARG_DEPENDS} ${ARG_LIBRARIES} berth_test_flags GTest::gmock
    GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test)
  set_property(GLOBAL APPEND PROPERTY BERTH_TEST_PROGRAMS ${CMAKE_BINARY_DIR}/test/${name})
endfunction()

# berth_fuzz(NAME SOURCES a_fuzz.cc DEPENDS berth_path …)
# One libFuzzer target, built when BERTH_FUZZ is on. Its corpus is fuzz/corpus/NAME.
add_custom_target(berth_fuzzers)
function(berth_fuzz name)
  if(NOT BERTH_FUZZ)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE berth_flags ${ARG_DEPENDS} ${ARG_LIBRARIES})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  add_dependencies(berth_fuzzers ${name})
  set_property(GLOBAL APPEND PROPERTY BERTH_FUZZ_PROGRAMS ${CMAKE_BINARY_DIR}/fuzz/${name})
endfunction()

# berth_benchmark(NAME SOURCES a_bench.cc DEPENDS berth_workspace …)
# One benchmark program on Google Benchmark, built when BERTH_BENCH is on and run by `make bench`.
function(berth_benchmark name)
  if(NOT BERTH_BENCH)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  find_package(benchmark REQUIRED)
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE berth_flags ${ARG_DEPENDS} ${ARG_LIBRARIES} benchmark::benchmark_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
endfunction()

# Write the lists of programs, once every folder was read.
function(berth_write_lists)
  get_property(tests GLOBAL PROPERTY BERTH_TEST_PROGRAMS)
  get_property(fuzzers GLOBAL PROPERTY BERTH_FUZZ_PROGRAMS)
  list(JOIN tests "\n" tests)
  list(JOIN fuzzers "\n" fuzzers)
  file(WRITE ${CMAKE_BINARY_DIR}/tests.list "${tests}\n")
  file(WRITE ${CMAKE_BINARY_DIR}/fuzzers.list "${fuzzers}\n")
endfunction()
