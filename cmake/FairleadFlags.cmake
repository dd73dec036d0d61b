# Compiler flags for every target. A preset chooses the build type and FAIRLEAD_SANITIZE; everything else is here.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(FAIRLEAD_SANITIZE "" CACHE STRING "Sanitizers to build with: empty, address (with undefined), thread, or fuzzer")

set(FAIRLEAD_COVERAGE OFF CACHE BOOL "Count what runs of the floors that hold rules, and note which rules were broken and kept")

find_program(FAIRLEAD_CCACHE ccache)
if(FAIRLEAD_CCACHE)
  # ccache takes precompiled headers with these settings and without the time in them.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${FAIRLEAD_CCACHE})
endif()
add_compile_options("SHELL:-Xclang -fno-pch-timestamp")

add_compile_options(-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wimplicit-fallthrough -Wno-unused-parameter
                    -Wno-missing-field-initializers
                    -Wno-deprecated-declarations # libstdc++ 12's own stable_sort calls a deprecated function
                    -Werror=return-type -fno-omit-frame-pointer -fstack-protector-strong)
add_link_options(-fuse-ld=lld -Wl,--as-needed -Wl,-z,relro,-z,now -Wl,-z,pack-relative-relocs)

if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT FAIRLEAD_SANITIZE)
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG -g1")
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -D_GLIBCXX_ASSERTIONS -ffunction-sections -fdata-sections)
  add_link_options(-Wl,--gc-sections -pie)
elseif(FAIRLEAD_COVERAGE)
  # Nothing is inlined and no constant merged, so that a call's place and a row's address tell which rule it is.
  add_compile_options(-O0 -D_GLIBCXX_ASSERTIONS)
  add_link_options(-fprofile-instr-generate)
elseif(NOT FAIRLEAD_SANITIZE)
  add_compile_options(-O1 -g1 -D_GLIBCXX_ASSERTIONS)
endif()

if(FAIRLEAD_SANITIZE STREQUAL "address")
  add_compile_options(-O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -D_GLIBCXX_ASSERTIONS)
  add_link_options(-fsanitize=address,undefined)
elseif(FAIRLEAD_SANITIZE STREQUAL "thread")
  add_compile_options(-O1 -g1 -fsanitize=thread)
  add_link_options(-fsanitize=thread)
elseif(FAIRLEAD_SANITIZE STREQUAL "fuzzer")
  add_compile_options(-O1 -g1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
  add_link_options(-fsanitize=address,undefined)
endif()
