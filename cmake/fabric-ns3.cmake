# SPDX-License-Identifier: GPL-2.0-only
#
# Finds an installed ns-3 and repairs its imported targets. Read by the standalone build and by the installed package.

# ns-3's targets name MPI's where it was built with it, so MPI has to be known first.
find_package(MPI QUIET COMPONENTS CXX)
# Where the folder that is named has none, CMake would take any other ns-3 without a word, such as one without MPI.
if(ns3_DIR)
  get_filename_component(FABRIC_NAMED_NS3 "${ns3_DIR}" ABSOLUTE)
  if(NOT EXISTS "${FABRIC_NAMED_NS3}/ns3Config.cmake")
    message(FATAL_ERROR "ns3_DIR=${ns3_DIR}: there is no ns3Config.cmake; name the folder that has it with -Dns3_DIR=FOLDER")
  endif()
endif()
find_package(ns3 REQUIRED)

# The targets carry the paths of the machine where ns-3 was packaged; CMake refuses folders that do not exist, and the
# linker files (Debian's libgsl.so, which libns3-dev does not bring along; PyPI's /usr/lib64).
function(fabric_repair_ns3_target target)
  foreach(property INTERFACE_INCLUDE_DIRECTORIES INTERFACE_LINK_LIBRARIES)
    get_target_property(entries ${target} ${property})
    set(kept "")
    foreach(entry IN LISTS entries)
      if(entry AND (NOT IS_ABSOLUTE "${entry}" OR EXISTS "${entry}"))
        list(APPEND kept "${entry}")
      endif()
    endforeach()
    set_target_properties(${target} PROPERTIES ${property} "${kept}")
  endforeach()
endfunction()

# The targets are ns3::libcore, ... up to 3.42 and ns3::core, ... from 3.43. libNAME names either, as in ns-3's tree.
get_property(FABRIC_IMPORTED_TARGETS DIRECTORY PROPERTY IMPORTED_TARGETS)
foreach(target IN LISTS FABRIC_IMPORTED_TARGETS)
  if(target MATCHES "^ns3::(lib)?(.+)$")
    set(FABRIC_MODULE ${CMAKE_MATCH_2})
    get_target_property(FABRIC_TARGET_TYPE ${target} TYPE)
    if(FABRIC_TARGET_TYPE MATCHES "LIBRARY$")
      fabric_repair_ns3_target(${target})
      set(lib${FABRIC_MODULE} ${target})
    endif()
  endif()
endforeach()

if(DEFINED libmpi AND NOT TARGET MPI::MPI_CXX)
  message(FATAL_ERROR "the ns-3 in ${ns3_DIR} was built with MPI, which is missing: install libopenmpi-dev and openmpi-bin "
                      "(utils/setup.sh does), or name another ns-3 with -Dns3_DIR=FOLDER")
endif()

# ns-3's headers fix the standard: 3.37's do not compile as C++20 with GCC 12; 3.41 requires C++20 and 3.46 C++23.
if(NOT DEFINED CMAKE_CXX_STANDARD)
  if(ns3_VERSION VERSION_LESS 3.41)
    set(CMAKE_CXX_STANDARD 17)
  elseif(ns3_VERSION VERSION_LESS 3.46)
    set(CMAKE_CXX_STANDARD 20)
  else()
    set(CMAKE_CXX_STANDARD 23)
  endif()
endif()
