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

# A compiler takes twice as long to optimize, and four times with all the checks of sanitizers. Where runs spend their time it
# is worth it: in the mechanisms, and in the tests that draw most. Builds with sanitizers do so anyway.
option(FABRIC_QUICK_BUILD "Optimize the mechanisms only, and little: for a build that runs its tests once" OFF)
if(FABRIC_SANITIZERS) # reports need no more than lines
  set(FABRIC_QUICK_FLAGS -O0 -g1 -fno-omit-frame-pointer ${FABRIC_SANITIZERS})
elseif(FABRIC_QUICK_BUILD)
  set(FABRIC_QUICK_FLAGS -O0)
endif()

# A compiler spends most of its time on headers of ns-3 and of the standard library, and on what it makes of their templates.
# So the sources of a folder are given to it as one. Two files of a folder may not have a name of their own in common then,
# and a missing #include is seen only with FABRIC_UNITY=OFF.
option(FABRIC_UNITY "Compile the sources of a folder as one" ON)

# Replaces the sources in a list by one for each folder.
function(fabric_unite list)
  if(NOT FABRIC_UNITY)
    return()
  endif()
  set(sources "")
  foreach(source IN LISTS ${list})
    get_source_file_property(definitions ${source} COMPILE_DEFINITIONS)
    if(definitions) # which are for it alone
      list(APPEND sources ${source})
      continue()
    endif()
    get_filename_component(folder ${source} DIRECTORY)
    string(REPLACE / - folder ${folder})
    set(file ${CMAKE_CURRENT_BINARY_DIR}/united/${folder}.cc)
    list(APPEND sources ${file})
    string(MAKE_C_IDENTIFIER g_log_${source} log) # each source of ns-3's logs has a g_log
    string(APPEND ${file} "#undef g_log\n#define g_log ${log}\n#include \"${CMAKE_CURRENT_SOURCE_DIR}/${source}\"\n")
  endforeach()
  list(REMOVE_DUPLICATES sources)
  foreach(source IN LISTS sources)
    if(DEFINED ${source})
      file(CONFIGURE OUTPUT ${source} CONTENT "${${source}}" @ONLY)
    endif()
  endforeach()
  set(${list} ${sources} PARENT_SCOPE)
endfunction()

# The mechanisms that a frame runs through on its way are compiled file by file where they are fully optimized: what the compiler
# inlines there is measured.
set(periphery ${FABRIC_SOURCES})
list(FILTER periphery INCLUDE REGEX "^helper/|^model/(application|network|topology|traffic-control|wire)/")
set(mechanisms ${FABRIC_SOURCES})
list(REMOVE_ITEM mechanisms ${periphery})
fabric_unite(periphery)
if(FABRIC_QUICK_FLAGS)
  fabric_unite(mechanisms)
  set_property(SOURCE ${mechanisms} APPEND PROPERTY COMPILE_OPTIONS -O1)
endif()
set(FABRIC_SOURCES ${periphery} ${mechanisms})

if(FABRIC_SANITIZE STREQUAL "thread")
  list(FILTER FABRIC_TEST_SOURCES INCLUDE REGEX "/threads-")
endif()
set(drawing "")
if(FABRIC_QUICK_FLAGS)
  set(drawing ${FABRIC_TEST_SOURCES})
  list(FILTER drawing INCLUDE REGEX "/(vl-arbiter-model|fabric-random-scenario|fabric-flit-oracle|fabric-flow-oracle|\
fabric-transport-property)-test")
  list(REMOVE_ITEM FABRIC_TEST_SOURCES "" ${drawing})
  set_property(SOURCE ${drawing} APPEND PROPERTY COMPILE_OPTIONS -O1)
endif()
fabric_unite(FABRIC_TEST_SOURCES)
list(PREPEND FABRIC_TEST_SOURCES ${drawing}) # first, since of an inline function that several have a linker takes the first
