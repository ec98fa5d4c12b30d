# SPDX-License-Identifier: GPL-2.0-only
#
# How the module's own sources are compiled, standalone and inside an ns-3 tree: sanitizers, and folders as one source.

set(FABRIC_SANITIZE OFF CACHE STRING "Sanitizers, of which the first finding ends the run: OFF, ON (address and \
undefined behaviour) or thread (the thread sanitizer, with those tests and programs alone that use threads)")
set_property(CACHE FABRIC_SANITIZE PROPERTY STRINGS OFF ON thread)
if(FABRIC_SANITIZE STREQUAL "thread")
  set(FABRIC_SANITIZERS -fsanitize=thread)
elseif(FABRIC_SANITIZE)
  # Three checks that take a quarter of the time, of what the address sanitizer finds when it is used.
  set(FABRIC_SANITIZERS -fsanitize=address,undefined -fno-sanitize=null,alignment,object-size -fno-sanitize-recover=all)
endif()

# The mechanisms that a frame runs through on its way are compiled file by file: what the compiler inlines there is measured.
set(FABRIC_UNITED ${FABRIC_SOURCES})
list(FILTER FABRIC_UNITED INCLUDE REGEX
     "^helper/|^model/(application|network|topology|traffic-control|wire)/|/fabric-lane-table")

if(FABRIC_SANITIZERS)
  # Optimizing all the checks would take a compiler four times as long; reports need no more than lines. Where runs spend
  # their time it is worth it: in the mechanisms, and in the tests that draw most.
  set(FABRIC_SANITIZED_FLAGS -O0 -g1 -fno-omit-frame-pointer ${FABRIC_SANITIZERS})
  set(optimized ${FABRIC_SOURCES} ${FABRIC_TEST_SOURCES})
  list(REMOVE_ITEM optimized ${FABRIC_UNITED})
  list(FILTER optimized INCLUDE REGEX "^model/|/(vl-arbiter-model|fabric-random-scenario|fabric-flit-oracle|\
fabric-flow-oracle|fabric-transport-property)-test")
  set_property(SOURCE ${optimized} APPEND PROPERTY COMPILE_OPTIONS -O1)
endif()

# A compiler spends most of its time on headers of ns-3 and of the standard library, and on what it makes of their templates.
# So the sources of a folder are given to it as one. Two files of a folder may not have a name of their own in common then,
# and a missing #include is seen only with FABRIC_UNITY=OFF.
option(FABRIC_UNITY "Compile the sources of a folder as one" ON)
function(fabric_unite target)
  if(NOT FABRIC_UNITY OR CMAKE_VERSION VERSION_LESS 3.20)
    return()
  endif()
  # Each source of ns-3's logs has a g_log.
  set_target_properties(
    ${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP UNITY_BUILD_UNIQUE_ID FABRIC_UNITY_ID
                         UNITY_BUILD_CODE_BEFORE_INCLUDE "#undef g_log\n#define g_log FABRIC_UNITY_ID"
  )
  foreach(source IN LISTS ARGN)
    get_filename_component(folder ${source} DIRECTORY)
    string(REPLACE / - group ${folder})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()
