#include "tests/hip/hip_library.h"

#include <cstring>
#include <random>
#include <sys/mman.h>

namespace {

using hip_test::take_report;

const char* const kSource = R"(
extern "C" __attribute__((device)) int table[4] = {10, 20, 30, 40};
extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(1, 128))) void copy(int* out, int i) {
    __attribute__((shared)) static int lds[16];
    lds[i & 15] = table[i & 3];
    *out = lds[(i + 1) & 15];
}
)";

const std::string& image_of(const std::string& chip) {
    static std::map<std::string, std::string> images;
    auto& bytes = images[chip];
    if (bytes.empty()) bytes = hip_test::compile(kSource, chip);
    return bytes;
}

class Modules : public ::testing::Test {
protected:
    void SetUp() override {
        HIP_OK(HIP(hipSetDevice)(hip_test::ordinal_of("gfx1151")));
        (void)take_report();
    }
    static std::string refused() {
        const auto report = take_report();
        return report["refused"].empty() ? std::string() : report["refused"][0].get<std::string>();
    }
    hipModule_t module_ = nullptr;
};

TEST_F(Modules, LoadFromMemoryAndFromAFile) {
    HIP_OK(HIP(hipModuleLoadData)(&module_, image_of("gfx1151").data()));
    HIP_OK(HIP(hipModuleUnload)(module_));
    HIP_OK(HIP(hipModuleLoadDataEx)(&module_, image_of("gfx1151").data(), 0, nullptr, nullptr));
    HIP_OK(HIP(hipModuleUnload)(module_));
    const auto path = std::filesystem::temp_directory_path() / ("pm_module_" + std::to_string(::getpid()));
    std::ofstream(path, std::ios::binary) << image_of("gfx1151");
    HIP_OK(HIP(hipModuleLoad)(&module_, path.c_str()));
    HIP_OK(HIP(hipModuleUnload)(module_));
    std::filesystem::remove(path);
    EXPECT_EQ(HIP(hipModuleLoad)(&module_, path.c_str()), hipErrorFileNotFound);
    EXPECT_NE(refused().find(path.string()), std::string::npos);
}

TEST_F(Modules, AnotherChipsImageIsNoBinaryForThisOne) {
    EXPECT_EQ(HIP(hipModuleLoadData)(&module_, image_of("gfx1100").data()), hipErrorNoBinaryForGpu);
    EXPECT_EQ(module_, nullptr);
    const std::string text = refused();
    EXPECT_NE(text.find("gfx1100"), std::string::npos) << text;
    EXPECT_NE(text.find("gfx1151"), std::string::npos) << text;
}

std::string bundle(const std::string& chip, const std::string& bytes) {
    const std::string id = "hipv4-amdgcn-amd-amdhsa--" + chip;
    const std::uint64_t numbers[] = {1, 4096, bytes.size(), id.size()};
    std::string out = "__CLANG_OFFLOAD_BUNDLE__";
    out.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
    out += id;
    out.resize(4096);
    return out + bytes;
}

TEST_F(Modules, BundlesAreTakenApart) {
    HIP_OK(HIP(hipModuleLoadData)(&module_, bundle("gfx1151", image_of("gfx1151")).data()));
    HIP_OK(HIP(hipModuleUnload)(module_));
    EXPECT_EQ(HIP(hipModuleLoadData)(&module_, bundle("gfx1100", image_of("gfx1100")).data()), hipErrorNoBinaryForGpu);
}

TEST_F(Modules, WhatIsNoImageIsInvalid) {
    const std::string text(100, 'x');
    EXPECT_EQ(HIP(hipModuleLoadData)(&module_, text.data()), hipErrorInvalidImage);
    EXPECT_EQ(HIP(hipModuleLoadData)(&module_, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipModuleLoadData)(nullptr, text.data()), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipModuleLoad)(&module_, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipModuleLoadData)(&module_, reinterpret_cast<void*>(8)), hipErrorInvalidImage);
}

/// The image at the very end of the mapped memory: reading one byte more than there is would fault.
class AtTheEnd {
public:
    explicit AtTheEnd(const std::string& bytes) : size_((bytes.size() / 4096 + 2) * 4096) {
        base_ = static_cast<char*>(::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        char* guard = base_ + size_ - 4096;
        EXPECT_EQ(::mprotect(guard, 4096, PROT_NONE), 0);
        image = guard - bytes.size();
        std::memcpy(image, bytes.data(), bytes.size());
    }
    ~AtTheEnd() { ::munmap(base_, size_); }
    AtTheEnd(const AtTheEnd&) = delete;
    AtTheEnd& operator=(const AtTheEnd&) = delete;

    char* image = nullptr;

private:
    char* base_ = nullptr;
    std::size_t size_;
};

TEST_F(Modules, TruncatedImagesAreInvalid) {
    const std::string& good = image_of("gfx1151");
    for (std::size_t length = 1; length < good.size(); length += length < 128 ? 1 : 97) {
        const AtTheEnd memory(good.substr(0, length));
        EXPECT_EQ(HIP(hipModuleLoadData)(&module_, memory.image), hipErrorInvalidImage) << length;
    }
}

TEST_F(Modules, DamagedImagesLoadOrAreErrors) {
    const std::uint64_t seed = 20260704;
    std::mt19937_64 random(seed);
    std::size_t loaded = 0;
    std::size_t refused = 0;
    for (int i = 0; i < 2000; ++i) {
        std::string bytes = image_of("gfx1151");
        const std::size_t at = random() % 2 != 0 ? random() % 64 : random() % bytes.size();
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << (random() % 8)));
        const AtTheEnd memory(bytes);
        const hipError_t error = HIP(hipModuleLoadData)(&module_, memory.image);
        if (error == hipSuccess) {
            ++loaded;
            EXPECT_EQ(HIP(hipModuleUnload)(module_), hipSuccess);
        } else {
            ++refused;
            EXPECT_TRUE(error == hipErrorInvalidImage || error == hipErrorNoBinaryForGpu ||
                        error == hipErrorOutOfMemory)
                << error << " seed " << seed << " flip " << i;
        }
    }
    EXPECT_GT(loaded, 100U);
    EXPECT_GT(refused, 100U);
}

TEST_F(Modules, FunctionsAreFoundByName) {
    hipFunction_t function = nullptr;
    hipFunction_t again = nullptr;
    HIP_OK(HIP(hipModuleLoadData)(&module_, image_of("gfx1151").data()));
    HIP_OK(HIP(hipModuleGetFunction)(&function, module_, "copy"));
    HIP_OK(HIP(hipModuleGetFunction)(&again, module_, "copy"));
    EXPECT_EQ(function, again);
    EXPECT_EQ(HIP(hipModuleGetFunction)(&again, module_, "copi"), hipErrorNotFound);
    EXPECT_EQ(again, nullptr);
    EXPECT_EQ(HIP(hipModuleGetFunction)(nullptr, module_, "copy"), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipModuleGetFunction)(&again, module_, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipModuleGetFunction)(&again, nullptr, "copy"), hipErrorInvalidHandle);
    HIP_OK(HIP(hipModuleUnload)(module_));
    EXPECT_EQ(HIP(hipModuleUnload)(module_), hipErrorInvalidHandle);
    EXPECT_EQ(HIP(hipModuleGetFunction)(&again, module_, "copy"), hipErrorInvalidHandle);
    int value = 0;
    EXPECT_EQ(HIP(hipFuncGetAttribute)(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, function), hipErrorInvalidHandle);
}

TEST_F(Modules, FunctionAttributesAreTheMetadatas) {
    hipFunction_t function = nullptr;
    HIP_OK(HIP(hipModuleLoadData)(&module_, image_of("gfx1151").data()));
    HIP_OK(HIP(hipModuleGetFunction)(&function, module_, "copy"));
    const auto attribute = [&](hipFunction_attribute which) {
        int value = -1;
        EXPECT_EQ(HIP(hipFuncGetAttribute)(&value, which, function), hipSuccess);
        return value;
    };
    EXPECT_EQ(attribute(HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 128);
    EXPECT_EQ(attribute(HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 64);
    EXPECT_EQ(attribute(HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES), 0);
    EXPECT_EQ(attribute(HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), 65536 - 64);
    EXPECT_GT(attribute(HIP_FUNC_ATTRIBUTE_NUM_REGS), 0);
    int value = 0;
    EXPECT_EQ(HIP(hipFuncGetAttribute)(&value, HIP_FUNC_ATTRIBUTE_MAX, function), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipFuncGetAttribute)(nullptr, HIP_FUNC_ATTRIBUTE_NUM_REGS, function), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipFuncGetAttribute)(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, nullptr), hipErrorInvalidHandle);
    HIP_OK(HIP(hipModuleUnload)(module_));
}

TEST_F(Modules, GlobalsHaveAnAddressAndASize) {
    HIP_OK(HIP(hipModuleLoadData)(&module_, image_of("gfx1151").data()));
    hipDeviceptr_t address = nullptr;
    std::size_t bytes = 0;
    HIP_OK(HIP(hipModuleGetGlobal)(&address, &bytes, module_, "table"));
    ASSERT_EQ(bytes, 16U);
    int values[4] = {};
    HIP_OK(HIP(hipMemcpyDtoH)(values, address, 16));
    EXPECT_EQ(std::vector<int>(values, values + 4), (std::vector<int>{10, 20, 30, 40}));
    EXPECT_TRUE(take_report()["findings"].empty());
    EXPECT_EQ(HIP(hipModuleGetGlobal)(&address, &bytes, module_, "tabel"), hipErrorNotFound);
    EXPECT_EQ(HIP(hipModuleGetGlobal)(nullptr, nullptr, module_, "table"), hipErrorInvalidValue);
    EXPECT_EQ(HIP(hipModuleGetGlobal)(&address, &bytes, nullptr, "table"), hipErrorInvalidHandle);
    EXPECT_EQ(HIP(hipFree)(address), hipErrorInvalidValue);
    HIP_OK(HIP(hipModuleUnload)(module_));
}

TEST_F(Modules, HandlesOfOneKindAreNoHandlesOfAnother) {
    hipFunction_t function = nullptr;
    HIP_OK(HIP(hipModuleLoadData)(&module_, image_of("gfx1151").data()));
    HIP_OK(HIP(hipModuleGetFunction)(&function, module_, "copy"));
    EXPECT_EQ(HIP(hipModuleUnload)(reinterpret_cast<hipModule_t>(function)), hipErrorInvalidHandle);
    EXPECT_EQ(HIP(hipStreamSynchronize)(reinterpret_cast<hipStream_t>(module_)), hipErrorInvalidHandle);
    EXPECT_EQ(HIP(hipEventQuery)(reinterpret_cast<hipEvent_t>(function)), hipErrorInvalidHandle);
    int local = 0;
    EXPECT_EQ(HIP(hipModuleUnload)(reinterpret_cast<hipModule_t>(&local)), hipErrorInvalidHandle);
    HIP_OK(HIP(hipModuleUnload)(module_));
}

} // namespace
