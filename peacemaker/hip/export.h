// How the C files of this folder define a HIP function.
#pragma once

#define PM_EXPORT extern "C" __attribute__((visibility("default")))
