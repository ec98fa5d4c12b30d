# SPDX-License-Identifier: GPL-2.0-only
#
# The build against an installed ns-3: library, programs, benchmark, test-runner and installation.

option(FABRIC_TESTS "Build the test-runner" ON)
option(FABRIC_PROGRAMS "Build the examples and benchmarks" ON)
if(FABRIC_SANITIZE STREQUAL "thread")
  set(FABRIC_EXAMPLES incast)
  set(FABRIC_TUTORIAL "")
  set(FABRIC_BENCHMARKS "") # count allocations, as this sanitizer does
endif()
if(FABRIC_SANITIZERS)
  set(FABRIC_CHECKS ON)
else()
  set(FABRIC_CHECKS OFF)
endif()
option(FABRIC_WERROR "Stop at warnings; compilers that are newer than this module have other ones" OFF)
option(FABRIC_LOG "Compile in ns-3 logging where the installed ns-3 does not say so by itself" ON)
option(FABRIC_ASSERT "Compile in ns-3 asserts where the installed ns-3 does not say so by itself" ${FABRIC_CHECKS})

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(NOT CMAKE_BUILD_TYPE)
  if(FABRIC_SANITIZERS)
    set(CMAKE_BUILD_TYPE Debug CACHE STRING "" FORCE)
  else()
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
  endif()
endif()

set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
list(APPEND CMAKE_INSTALL_RPATH "\$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
# CMAKE_INSTALL_RPATH_USE_LINK_PATH leaves out what is inside the project, as the ns-3 of PyPI in .venv-pypi is.
get_target_property(ns3_library ${libcore} LOCATION)
string(FIND "${ns3_library}" "${PROJECT_SOURCE_DIR}/" place)
if(place EQUAL 0)
  get_filename_component(ns3_folder "${ns3_library}" DIRECTORY)
  list(APPEND CMAKE_INSTALL_RPATH "${ns3_folder}")
endif()

find_program(FABRIC_CCACHE ccache)
if(FABRIC_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${FABRIC_CCACHE})
endif()

# What all of our own code is compiled with; ns-3's headers are system headers and stay out of the warnings.
add_library(fabric-flags INTERFACE)
target_compile_options(fabric-flags INTERFACE -Wall -Wextra -Wpedantic)
if(FABRIC_WERROR)
  target_compile_options(fabric-flags INTERFACE -Werror)
endif()
# A library that only registers TypeIds has no symbol that a program names, and is needed all the same.
target_link_options(fabric-flags INTERFACE LINKER:--no-as-needed)
target_compile_options(fabric-flags INTERFACE ${FABRIC_QUICK_FLAGS})
if(FABRIC_SANITIZERS)
  target_link_options(fabric-flags INTERFACE ${FABRIC_SANITIZERS})
endif()
target_compile_definitions(
  fabric-flags INTERFACE $<$<BOOL:${FABRIC_LOG}>:NS3_LOG_ENABLE> $<$<BOOL:${FABRIC_ASSERT}>:NS3_ASSERT_ENABLE>
)

# ---- the library ----

fabric_link_headers(${CMAKE_BINARY_DIR}/include/ns3)
set(module_header "// All headers of the module, for programs of users.\n#ifndef NS3_MODULE_FABRIC\n#define NS3_MODULE_FABRIC\n")
foreach(header IN LISTS FABRIC_HEADERS)
  get_filename_component(name ${header} NAME)
  string(APPEND module_header "#include \"${name}\"\n")
endforeach()
string(APPEND module_header "#endif\n")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/include/ns3/fabric-module.h CONTENT "${module_header}" @ONLY)

# The name: libfabric is OFI's, which Open MPI brings along, and Python's ns refuses paths with libns3 in them.
add_library(fabric SHARED ${FABRIC_SOURCES})
set_target_properties(
  fabric PROPERTIES OUTPUT_NAME fabric-sim EXPORT_NAME fabric LINKER_LANGUAGE CXX
                    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
)
target_compile_features(fabric PUBLIC cxx_std_${CMAKE_CXX_STANDARD})
# Calls inside the library are inlined, or go straight to the function instead of through the table of the linker.
target_compile_options(fabric PRIVATE -fno-semantic-interposition)
target_link_options(fabric PRIVATE -Wl,-Bsymbolic-functions)
target_include_directories(
  fabric
  PUBLIC $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  PRIVATE ${FABRIC_INCLUDE_DIRS}
)
target_link_libraries(fabric PUBLIC ${FABRIC_LIBS} PRIVATE $<BUILD_INTERFACE:fabric-flags> ${CMAKE_THREAD_LIBS_INIT})
# The same for programs of users, and for this library alone: many compilers pass --as-needed by themselves.
target_link_options(
  fabric INTERFACE
  $<INSTALL_INTERFACE:LINKER:--push-state,--no-as-needed,$<TARGET_FILE:ns3-fabric::fabric>,--pop-state>
)
if(ENABLE_MPI) # ns-3's targets do not say that they were built with MPI
  target_compile_definitions(fabric PUBLIC NS3_MPI)
  target_link_libraries(fabric PUBLIC ${libmpi} MPI::MPI_CXX)
endif()

# ---- programs and tests ----

function(fabric_program name source)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE fabric ${FABRIC_PROGRAM_LIBS} fabric-flags)
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

if(FABRIC_PROGRAMS)
  foreach(name IN LISTS FABRIC_EXAMPLES)
    fabric_program(fabric-${name} examples/fabric-${name}.cc)
  endforeach()
  foreach(name IN LISTS FABRIC_TUTORIAL)
    fabric_program(fabric-tutorial-${name} examples/tutorial/${name}.cc)
  endforeach()
  foreach(name IN LISTS FABRIC_BENCHMARKS)
    fabric_program(${name} utils/${name}.cc)
  endforeach()
endif()

if(FABRIC_TESTS OR ENABLE_MPI)
  # Has all kinds of traffic on several ranks; utils/run-rank-tests.py runs it.
  add_executable(fabric-ranks-program test/ranks/ranks-program.cc)
  target_include_directories(fabric-ranks-program PRIVATE ${FABRIC_INCLUDE_DIRS})
  target_link_libraries(fabric-ranks-program PRIVATE fabric fabric-flags)
endif()

if(FABRIC_TESTS)
  # Shows how programs begin and end; test/python/test_results.py runs it.
  add_executable(fabric-results-program test/results/results-program.cc)
  target_include_directories(fabric-results-program PRIVATE ${FABRIC_INCLUDE_DIRS})
  target_link_libraries(fabric-results-program PRIVATE fabric fabric-flags)

  # Tells what the types say of themselves; test/python/test_reference.py compares the manual with it.
  add_executable(fabric-types-program test/results/types-program.cc)
  target_include_directories(fabric-types-program PRIVATE ${FABRIC_INCLUDE_DIRS})
  target_link_libraries(fabric-types-program PRIVATE fabric fabric-flags)

  add_executable(fabric-test-runner test/fabric-test-runner.cc ${FABRIC_TEST_SOURCES})
  if(NOT FABRIC_QUICK_FLAGS)
    target_compile_options(fabric-test-runner PRIVATE -O1) # most of the work is the library's, which is compiled with all optimizations
  endif()
  target_include_directories(fabric-test-runner PRIVATE ${FABRIC_INCLUDE_DIRS} test test/support)
  target_compile_definitions(fabric-test-runner PRIVATE NS_TEST_SOURCEDIR="test")
  target_link_libraries(fabric-test-runner PRIVATE fabric ${FABRIC_PROGRAM_LIBS} fabric-flags)
endif()

# ---- installation ----

install(TARGETS fabric EXPORT fabric-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(
  FILES ${FABRIC_HEADERS} ${CMAKE_BINARY_DIR}/include/ns3/fabric-module.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ns3
)
get_filename_component(FABRIC_NS3_DIR "${ns3_DIR}" ABSOLUTE)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/ns3-fabric)
install(FILES utils/wireshark/fabric.lua DESTINATION ${CMAKE_INSTALL_DATADIR}/ns3-fabric)
install(EXPORT fabric-targets NAMESPACE ns3-fabric:: DESTINATION ${package_folder})
configure_package_config_file(
  cmake/ns3-fabric-config.cmake.in ${CMAKE_BINARY_DIR}/ns3-fabric-config.cmake INSTALL_DESTINATION ${package_folder}
)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/ns3-fabric-config-version.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES cmake/fabric-ns3.cmake ${CMAKE_BINARY_DIR}/ns3-fabric-config.cmake
        ${CMAKE_BINARY_DIR}/ns3-fabric-config-version.cmake
  DESTINATION ${package_folder}
)
