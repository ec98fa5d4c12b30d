# SPDX-License-Identifier: GPL-2.0-only
#
# The build inside an ns-3 tree.

# ns-3 leaves alone the headers that it finds there.
fabric_link_headers(${CMAKE_HEADER_OUTPUT_DIRECTORY})

if(ENABLE_MPI)
  list(APPEND FABRIC_LIBS ${libmpi} MPI::MPI_CXX)
endif()

list(APPEND FABRIC_LIBS ${CMAKE_THREAD_LIBS_INIT}) # empty where the C library has threads

# ns-3's precompiled headers would hide an #include that is missing in ours.
set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)

build_lib(
  LIBNAME fabric
  SOURCE_FILES ${FABRIC_SOURCES}
  HEADER_FILES ${FABRIC_HEADERS}
  LIBRARIES_TO_LINK ${FABRIC_LIBS}
  TEST_SOURCES ${FABRIC_TEST_SOURCES}
)
if(TARGET "${testfabric}")
  target_link_libraries(${testfabric} ${FABRIC_PROGRAM_LIBS})
endif()
# The runtime of sanitizers has to come with the executable, which is ns-3's: CMAKE_EXE_LINKER_FLAGS needs them too.
# Not before build_lib, which would export the folders of this directory to ns-3's installation.
foreach(target IN ITEMS ${libfabric} ${libfabric-obj} ${testfabric})
  if(TARGET ${target})
    target_include_directories(${target} PRIVATE ${FABRIC_INCLUDE_DIRS} ${CMAKE_CURRENT_SOURCE_DIR}/test
                               ${CMAKE_CURRENT_SOURCE_DIR}/test/support)
    # As newer trees do to all modules; older ones leave it out.
    target_compile_options(${target} PRIVATE -Wpedantic ${FABRIC_QUICK_FLAGS})
  endif()
endforeach()

if(ENABLE_EXAMPLES)
  foreach(name IN LISTS FABRIC_EXAMPLES)
    build_exec(
      EXECNAME fabric-${name}
      SOURCE_FILES examples/fabric-${name}.cc
      LIBRARIES_TO_LINK ${libfabric} ${FABRIC_PROGRAM_LIBS}
      EXECUTABLE_DIRECTORY_PATH ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/contrib/fabric/examples/
    )
  endforeach()
  foreach(name IN LISTS FABRIC_TUTORIAL)
    build_exec(
      EXECNAME fabric-tutorial-${name}
      SOURCE_FILES examples/tutorial/${name}.cc
      LIBRARIES_TO_LINK ${libfabric} ${FABRIC_PROGRAM_LIBS}
      EXECUTABLE_DIRECTORY_PATH ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/contrib/fabric/examples/tutorial/
    )
  endforeach()
  if(ENABLE_MPI)
    build_exec(
      EXECNAME fabric-ranks-program
      SOURCE_FILES test/ranks/ranks-program.cc
      LIBRARIES_TO_LINK ${libfabric} ${FABRIC_PROGRAM_LIBS}
      EXECUTABLE_DIRECTORY_PATH ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/contrib/fabric/test/
    )
  endif()
  foreach(name IN LISTS FABRIC_BENCHMARKS)
    build_exec(
      EXECNAME ${name}
      SOURCE_FILES utils/${name}.cc
      LIBRARIES_TO_LINK ${libfabric} ${FABRIC_PROGRAM_LIBS}
      EXECUTABLE_DIRECTORY_PATH ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/contrib/fabric/utils/
    )
  endforeach()
endif()
