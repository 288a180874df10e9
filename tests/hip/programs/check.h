// What every program here checks its results with: the first thing wrong is printed, and the program ends with 1.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const hipError_t error_ = (call);                                                                              \
        if (error_ != hipSuccess) {                                                                                    \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorString(error_));                      \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                        \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)
