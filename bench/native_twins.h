// The host twins of device_rate.hip, built for this machine: the bound that the device is measured against. Each gives
// the bits that the kernel gives.
#pragma once

#include <cstdint>

/// Runs `turns` turns on 32 lanes that start as 0..31 and leaves the lanes in `out`.
void fma_loop_native(float* out, float a, float b, int turns);

/// c = a b, row-major square matrices of n rows; sums run over k upwards, one FMA an element.
void matmul_native(const float* a, const float* b, float* c, int n);

/// `rows` rows of k halves times x: 32 sums a row, lane l of halves 8 l to 8 l + 7 of each 256, each dot of two as two
/// FMAs, low half first. k is a multiple of 256.
void dot2_stream_native(const std::uint16_t* w, const std::uint16_t* x, float* out, int k, int rows);
