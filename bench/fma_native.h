// The host twin of fma_loop.hip: 32 lanes, two dependent FMAs a lane and turn.
#pragma once

/// Runs `turns` turns on 32 lanes that start as 0..31 and leaves the lanes in `out`.
void fma_loop_native(float* out, float a, float b, int turns);
