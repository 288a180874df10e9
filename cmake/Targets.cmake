# hkc_library(NAME SOURCES a.cpp .. [DEPS targets ..])   a static library under our warnings
function(hkc_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_DEPS} PRIVATE hkc_warnings)
endfunction()

# hkc_reads_bytes(TARGET ..)   code that takes bytes for words: sanitizer builds check its alignment
function(hkc_reads_bytes)
  set_target_properties(${ARGN} PROPERTIES HKC_READS_BYTES ON)
endfunction()

# hkc_tool(NAME SOURCES main.cpp .. [DEPS targets ..])   a program in build/bin
function(hkc_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} hkc_warnings)
endfunction()

# hkc_test(NAME SOURCES a_test.cpp .. [DEPS targets ..] [LABELS unit|long|slow|tool [threads]])
# A GoogleTest program, one CTest entry a program; `long`: sweeps of compiled code, not run under sanitizers; HKC_SOURCE_DIR and HKC_BINARY_DIR name the trees.
# The target tests-LABEL builds every test of that label: what a sanitizer build needs.
function(hkc_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LABELS" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${name} PRIVATE HKC_SOURCE_DIR="${PROJECT_SOURCE_DIR}" HKC_BINARY_DIR="${PROJECT_BINARY_DIR}")
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gtest_main hkc_warnings)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}")
  foreach(label IN LISTS ARG_LABELS)
    if(NOT TARGET tests-${label})
      add_custom_target(tests-${label})
    endif()
    add_dependencies(tests-${label} ${name})
  endforeach()
endfunction()
