# What `cmake --install` puts where. Programs find the rest relative to themselves (peacemaker/support/installed.h), so the prefix may be moved.
include(CMakePackageConfigHelpers)

# Installing needs what is installed, not the tests.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
get_directory_property(HKC_TOOLS DIRECTORY tools BUILDSYSTEM_TARGETS)
set(HKC_DATA share/hip-kernel-contract)
set(HKC_LIB lib/hip-kernel-contract)
set(HKC_HEADERS include/hip-kernel-contract)
set(HKC_PACKAGE lib/cmake/HipKernelContract)

install(TARGETS ${HKC_TOOLS} RUNTIME DESTINATION bin)
install(TARGETS pm_hip LIBRARY DESTINATION ${HKC_LIB})
install(DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/hip DESTINATION ${HKC_LIB})

# The tree of this project: the tools work on it where they are run outside of any other.
install(DIRECTORY registry records kernels controls DESTINATION ${HKC_DATA})
install(FILES toolchains.toml chips.toml DESTINATION ${HKC_DATA})
install(DIRECTORY examples DESTINATION ${HKC_DATA} PATTERN build EXCLUDE)
install(DIRECTORY docs DESTINATION share/doc/hip-kernel-contract)
install(FILES README.md CHANGELOG.md DESTINATION share/doc/hip-kernel-contract)
install(FILES LICENSE DESTINATION share/doc/hip-kernel-contract RENAME copyright)

# Man pages and completions, which each program makes of its own options (contract/reference).
set(pages)
foreach(tool IN LISTS HKC_TOOLS)
  foreach(page man:man/man1/${tool}.1 bash:bash-completion/completions/${tool} zsh:zsh/vendor-completions/_${tool})
    string(REGEX MATCH "^([a-z]+):(.*)/(.*)$" unused ${page})
    set(file ${CMAKE_BINARY_DIR}/share/${CMAKE_MATCH_2}/${CMAKE_MATCH_3})
    add_custom_command(OUTPUT ${file}
                       COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/share/${CMAKE_MATCH_2}
                       COMMAND ${tool} --print-reference ${CMAKE_MATCH_1} > ${file}
                       DEPENDS ${tool} VERBATIM)
    install(FILES ${file} DESTINATION share/${CMAKE_MATCH_2})
    list(APPEND pages ${file})
  endforeach()
endforeach()
add_custom_target(hkc_reference_pages ALL DEPENDS ${pages})

# What an oracle library includes: contract/oracle/plugin.h and all that it does. tests/package builds against these alone.
foreach(header contract/oracle/plugin.h contract/oracle/oracle.h contract/registry/registry.h contract/expr/expr.h
               peacemaker/support/result.h peacemaker/chip/chip.h peacemaker/mutate/mutate.h peacemaker/object/code_object.h)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${header} DESTINATION ${HKC_HEADERS}/${folder})
endforeach()

# find_package(HipKernelContract)
configure_package_config_file(cmake/HipKernelContractConfig.cmake.in HipKernelContractConfig.cmake INSTALL_DESTINATION ${HKC_PACKAGE}
                              PATH_VARS HKC_DATA HKC_HEADERS NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(HipKernelContractConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/HipKernelContractConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/HipKernelContractConfigVersion.cmake
        DESTINATION ${HKC_PACKAGE})

# `cpack -G DEB` in the build folder
set(CPACK_PACKAGE_NAME hip-kernel-contract)
set(CPACK_PACKAGE_CONTACT "the authors of hip-kernel-contract <none>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Contracts for HIP kernels on RDNA, proved with and without a GPU")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What the walk-through of docs/install.md needs: a compiler of kernels, HIP's headers and device libraries, and a project's build.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "clang-22, lld-22, libamdhip64-dev, rocm-device-libs, g++, cmake, make")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "hipcc")
set(CPACK_STRIP_FILES ON)
include(CPack)
