# Every library comes from the system, found by its own CMake package or pkg-config file.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(LLVM 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/llvm)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(pegtl REQUIRED HINTS /usr/share/pegtl/cmake)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)
pkg_check_modules(zlib REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(hwy REQUIRED IMPORTED_TARGET libhwy)
# GMP serves the oracle's exact rational tests alone.
pkg_check_modules(gmpxx REQUIRED IMPORTED_TARGET gmpxx)
# hip-config.cmake of this HIP asks for the whole ROCm stack; the API headers alone are wanted.
find_path(HIP_INCLUDE_DIR hip/hip_runtime_api.h REQUIRED)

# LLVM as the shared library; its headers are a system include.
add_library(hkc_llvm INTERFACE)
target_include_directories(hkc_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_compile_definitions(hkc_llvm INTERFACE ${LLVM_DEFINITIONS_LIST})
target_link_libraries(hkc_llvm INTERFACE LLVM)

# The HIP API's types and constants; nothing links the runtime library.
add_library(hkc_hip_headers INTERFACE)
target_include_directories(hkc_hip_headers SYSTEM INTERFACE ${HIP_INCLUDE_DIR})
target_compile_definitions(hkc_hip_headers INTERFACE __HIP_PLATFORM_AMD__ __HIP_PLATFORM_HCC__)
