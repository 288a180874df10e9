// A HIP device that never finishes a launch in workgroups of 64, which it first tells the FIFO that HKC_TEST_FIFO
// names: the embedded device, but for one function. Only tests load it.

#include <hip/hip_runtime_api.h>

#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

extern "C" __attribute__((visibility("default"))) hipError_t
hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                      unsigned block_y, unsigned block_z, unsigned lds, hipStream_t stream, void** arguments,
                      void** extra) {
    if (block_x == 64) {
        const char* fifo = std::getenv("HKC_TEST_FIFO");
        const int reader = fifo == nullptr ? -1 : open(fifo, O_WRONLY);
        (void)!write(reader, "launched\n", 9);
        close(reader);
        for (;;) pause();
    }
    using Launch = decltype(&hipModuleLaunchKernel);
    const auto launch = reinterpret_cast<Launch>(dlsym(RTLD_NEXT, "hipModuleLaunchKernel"));
    if (launch == nullptr) return hipErrorUnknown;
    return launch(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, lds, stream, arguments, extra);
}
