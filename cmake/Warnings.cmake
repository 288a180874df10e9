# One set of warnings for everything that is ours.
add_library(hkc_warnings INTERFACE)
target_compile_options(hkc_warnings INTERFACE -Wall -Wextra -Wconversion -Werror)
if(HKC_SANITIZE_ADDRESS)
  target_compile_options(hkc_warnings INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(hkc_warnings INTERFACE -fsanitize=address,undefined)
  # These two alone take half of the build. AddressSanitizer sees a null pointer as well, and only code that reads bytes as
  # words can be misaligned: hkc_reads_bytes(TARGET ..) names it.
  target_compile_options(hkc_warnings INTERFACE $<$<NOT:$<BOOL:$<TARGET_PROPERTY:HKC_READS_BYTES>>>:-fno-sanitize=alignment,null>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # g++ 12 under AddressSanitizer takes std::regex's and std::function's own members for uninitialised.
    target_compile_options(hkc_warnings INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
if(HKC_FUZZ)
  # What counts is which paths an input takes; the fuzzer's own main comes with the targets (tests/fuzz).
  # Warnings are g++'s and clang-tidy's matter: clang alone warns of what libstdc++ 12 does itself.
  target_compile_options(hkc_warnings INTERFACE -fsanitize=fuzzer-no-link -w)
  target_link_options(hkc_warnings INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(HKC_SANITIZE_THREAD)
  target_compile_options(hkc_warnings INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(hkc_warnings INTERFACE -fsanitize=thread)
endif()
