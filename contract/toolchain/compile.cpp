#include "contract/toolchain/compile.h"

#include "contract/registry/registry.h"
#include "contract/toolchain/cache.h"
#include "contract/toolchain/depfile.h"
#include "contract/toolchain/hip_parts.h"
#include "contract/toolchain/includes.h"
#include "contract/toolchain/subprocess.h"
#include "peacemaker/object/code_object.h"
#include "peacemaker/support/file.h"
#include "peacemaker/support/installed.h"
#include "peacemaker/support/interrupt.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <set>
#include <sys/file.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace hkc {
namespace {

namespace fs = std::filesystem;

constexpr int kCacheFormat = 2; // part of every key: another layout never reads this one's entries

/// What a compiler of that kind always gets.
std::vector<std::string> kind_flags(CompilerKind kind, const std::string& chip, bool wave64) {
    const bool hipcc = kind == CompilerKind::kHipcc;
    std::vector<std::string> flags;
    if (!hipcc) flags = {"-x", "hip"};
    flags.insert(flags.end(), {"--offload-arch=" + chip, "--cuda-device-only"});
    if (!hipcc) flags.insert(flags.end(), {"--no-gpu-bundle-output", "-nogpulib", "-nogpuinc"});
    // HIP's headers size warps by a macro that later compilers no longer define.
    if (kind == CompilerKind::kClangHip)
        flags.emplace_back(wave64 ? "-D__AMDGCN_WAVEFRONT_SIZE=64" : "-D__AMDGCN_WAVEFRONT_SIZE=32");
    // Without an id of the source's path, one source gives one object wherever it stands.
    flags.insert(flags.end(), {"-fuse-cuid=none", "-c"});
    return flags;
}

std::vector<std::string> fingerprint_flags(const CompileRequest& request) {
    std::vector<std::string> flags =
        kind_flags(request.toolchain->spec.kind, request.chip->name, asks_for_wave64(request.flags));
    flags.insert(flags.end(), request.flags.begin(), request.flags.end());
    return flags;
}

/// The environment of a compile. hipcc is told the chip and the platform again: otherwise it asks programs that need a
/// card.
std::vector<std::string> environment_of(const CompileRequest& request) {
    std::vector<std::string> environment = compiler_environment();
    if (request.toolchain->spec.kind == CompilerKind::kHipcc) {
        environment.emplace_back("HIP_PLATFORM=amd");
        environment.push_back("HCC_AMDGPU_TARGET=" + request.chip->name);
    }
    return environment;
}

/// A folder of our own under the cache, gone with the object.
class WorkFolder {
public:
    static pm::Result<WorkFolder> make(const fs::path& cache_dir) {
        const fs::path parent = cache_dir / "work";
        if (auto made = make_cache_folder(parent); !made) return made.error();
        sweep(parent);
        std::string name = (parent / "XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            return pm::Error{
                fmt::format("{}: cannot make a folder in it: {}; HKC_CACHE_DIR names another folder for the cache",
                            parent.string(), std::generic_category().message(errno))};
        return WorkFolder(name);
    }
    ~WorkFolder() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }
    WorkFolder(WorkFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;
    WorkFolder& operator=(WorkFolder&&) = delete;

    [[nodiscard]] const fs::path& path() const { return path_; }

private:
    explicit WorkFolder(fs::path path) : path_(std::move(path)) {}

    /// Removes what a killed run left a day ago or longer.
    static void sweep(const fs::path& parent) {
        static std::once_flag once;
        std::call_once(once, [&parent] {
            std::error_code error;
            const auto old = fs::file_time_type::clock::now() - std::chrono::hours(24);
            for (const fs::directory_entry& entry : fs::directory_iterator(parent, error)) {
                std::error_code ignored;
                const auto changed = entry.last_write_time(ignored);
                if (!ignored && changed < old) fs::remove_all(entry.path(), ignored);
            }
        });
    }

    fs::path path_;
};

/// Holds one compile's lock: whoever comes second finds the object in the cache. A folder that cannot be locked costs a
/// second compile.
class CompileLock {
public:
    explicit CompileLock(const fs::path& path) : fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
        while (fd_ >= 0 && ::flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
        }
    }
    ~CompileLock() {
        if (fd_ >= 0) ::close(fd_);
    }
    CompileLock(const CompileLock&) = delete;
    CompileLock& operator=(const CompileLock&) = delete;

private:
    int fd_;
};

std::int64_t now_ns() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

/// A moment that parts the stamps of files: a change before this call has an earlier one, a change after it none
/// earlier. Files are stamped by a clock that may lag some milliseconds behind, so this waits until that one has passed
/// now.
std::int64_t file_clock_past_now_ns() {
    const std::int64_t now = now_ns();
    for (;;) {
        timespec lagging{};
        (void)clock_gettime(CLOCK_REALTIME_COARSE, &lagging);
        const std::int64_t stamp = std::int64_t{lagging.tv_sec} * 1'000'000'000 + lagging.tv_nsec;
        if (stamp > now) return stamp;
        std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
}

/// SHA-256 of files, read once for each state of a file; empty for one that cannot be read.
std::string hash_of_file(const fs::path& path) {
    static std::mutex mutex;
    static std::map<std::string, std::pair<FileStamp, std::string>> known;
    const std::optional<FileStamp> stamp = stamp_of(path);
    if (!stamp) return {};
    {
        const std::lock_guard lock(mutex);
        const auto found = known.find(stamp->path);
        if (found != known.end() && found->second.first == *stamp) return found->second.second;
    }
    const pm::Result<std::string> bytes = pm::read_file(path);
    if (!bytes) return {};
    std::string hash = pm::sha256_hex(*bytes);
    // A file this young may change again within one tick of the file system's clock, and its stamp would not tell.
    constexpr std::int64_t kYoung = 1'000'000'000;
    if (now_ns() - stamp->changed_ns < kYoung) return hash;
    const std::lock_guard lock(mutex);
    known[stamp->path] = {*stamp, hash};
    return hash;
}

/// A request, made ready: its text, its command and the key that it is cached under.
struct Job {
    const CompileRequest* request = nullptr;
    fs::path cache_dir;
    std::string source_text; // edits made
    std::vector<std::string> command;
    std::optional<HipParts> hip; // of the kind "clang-hip"
    std::string key;

    [[nodiscard]] fs::path manifest() const { return cache_dir / "compile" / key.substr(0, 2) / (key + ".json"); }
    [[nodiscard]] fs::path lock() const { return cache_dir / "compile" / key.substr(0, 2) / (key + ".lock"); }
    [[nodiscard]] fs::path object(const std::string& hash) const {
        return cache_dir / "objects" / hash.substr(0, 2) / (hash + ".co");
    }
    /// How messages call the object that this job makes.
    [[nodiscard]] std::string name() const { return fmt::format("{} for {}", request->source, request->chip->name); }
};

pm::Result<Job> prepare(const CompileRequest& request, const fs::path& cache_dir) {
    Job job{.request = &request,
            .cache_dir = fs::absolute(cache_dir),
            .source_text = {},
            .command = {},
            .hip = {},
            .key = {}};
    pm::Result<std::string> text = pm::read_file(request.root / request.source);
    if (!text) return text.error();
    PlantBuild build;
    build.edit = request.edits;
    text = apply_edits(std::move(*text), build);
    if (!text) return text.error().with((request.root / request.source).string());
    job.source_text = std::move(*text);
    job.command = compile_command(request);
    if (request.toolchain->spec.kind == CompilerKind::kClangHip) {
        pm::Result<HipParts> parts = find_hip_parts(hip_places());
        if (!parts) return parts.error().with("toolchain " + request.toolchain->spec.name);
        const std::vector<std::string> added = hip_flags(*parts, request.chip->name, request.flags);
        job.command.insert(job.command.end(), added.begin(), added.end());
        job.hip = std::move(*parts);
    }
    const nlohmann::json key = {
        {"format", kCacheFormat},
        {"compiler", request.toolchain->identity},
        {"environment", environment_of(request)},
        {"command", job.command},
        {"source", request.source},
        {"edited", !request.edits.empty()},
        {"sha256", pm::sha256_hex(job.source_text)},
    };
    job.key = pm::sha256_hex(key.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    return job;
}

std::optional<Fingerprint> fingerprint_from(const nlohmann::json& json) {
    try {
        Fingerprint made;
        json.at("idents").get_to(made.idents);
        json.at("flags").get_to(made.flags);
        json.at("linkers").get_to(made.linkers);
        return made;
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

/// Whether every file that went into a cached object is what it was.
bool inputs_unchanged(const Job& job, const nlohmann::json& manifest) {
    for (const nlohmann::json& tool : manifest.at("tools")) {
        const std::optional<FileStamp> then = stamp_from(tool);
        if (!then || stamp_of(then->path) != then) return false;
    }
    for (const nlohmann::json& file : manifest.at("includes")) {
        const fs::path path = job.request->root / file.at("path").get<std::string>();
        if (hash_of_file(path) != file.at("sha256").get<std::string>()) return false;
    }
    std::error_code ignored;
    for (const nlohmann::json& file : manifest.at("absent"))
        if (fs::exists(job.request->root / file.get<std::string>(), ignored)) return false;
    return true;
}

/// The cached object, if it is there, whole, and still what the compiler would build.
std::optional<CompiledObject> look_up(const Job& job) {
    const std::optional<nlohmann::json> manifest = read_sealed(job.manifest());
    if (!manifest) return std::nullopt;
    try {
        if (!inputs_unchanged(job, *manifest)) return std::nullopt;
        const auto hash = manifest->at("object").get<std::string>();
        std::optional<Fingerprint> fingerprint = fingerprint_from(manifest->at("fingerprint"));
        if (!fingerprint || hash.size() != 64) return std::nullopt;
        const fs::path object = job.object(hash);
        pm::Result<std::string> bytes = pm::read_file(object);
        if (!bytes || pm::sha256_hex(*bytes) != hash) return std::nullopt;
        return CompiledObject{object, std::move(*bytes), std::move(*fingerprint), true};
    } catch (const nlohmann::json::exception&) {
        return std::nullopt; // sealed, yet not of our shape: a cache of another version
    }
}

std::string indented(const std::string& text) {
    std::string out;
    for (const std::string& line : pm::split(text, '\n')) out += "\n    " + line;
    return out;
}

/// Of the kind "clang-hip": makes in `work` what HIP's parts of this system lack, and gives the options that take it.
/// Error: the compiler's.
pm::Result<std::vector<std::string>> own_hip_parts(const Job& job, const fs::path& work) {
    if (!job.hip) return std::vector<std::string>{};
    const fs::path header = work / "hip_later_compiler.h";
    if (auto written = pm::write_file_atomically(header, later_compiler_header()); !written) return written.error();
    std::vector<std::string> options = {"-include", header.string()};
    const std::string& chip = job.request->chip->name;
    if (has_isa_version(*job.hip, chip)) return options;
    const fs::path text = work / "isa_version.ll", library = work / "isa_version.bc";
    if (auto written = pm::write_file_atomically(text, isa_version_ir(chip)); !written) return written.error();
    const pm::Result<Finished> done =
        run({{job.request->toolchain->compiler.string(), "-x", "ir", "-target", "amdgcn-amd-amdhsa", "-nogpulib", "-c",
              "-emit-llvm", text.string(), "-o", library.string()},
             work,
             environment_of(*job.request)});
    if (!done) return done.error();
    if (!done->succeeded()) return pm::Error{"the chip's ISA version: " + done->how() + indented(done->err)};
    options.insert(options.end(), {"-Xclang", "-mlink-builtin-bitcode", "-Xclang", library.string()});
    return options;
}

/// What to do about a failure that HIP's headers have part in; empty where they have none.
std::string advice(const CompileRequest& request, const std::string& said) {
    const bool hip = said.find("hip/hip_") != said.npos || said.find("__ockl_") != said.npos ||
                     said.find("__ocml_") != said.npos || said.find("cuda_wrappers/") != said.npos;
    if (!hip || request.toolchain->spec.kind != CompilerKind::kClang) return {};
    return fmt::format("\n  a source that includes <hip/hip_runtime.h> needs a toolchain of the kind \"clang-hip\" or "
                       "\"hipcc\"; toolchains.toml:{} is \"clang\", which has neither HIP's headers nor its device "
                       "libraries",
                       request.toolchain->spec.line);
}

/// A compiler's failure, with a command to try by hand.
pm::Error compiler_error(const Job& job, const std::string& what, const std::string& said) {
    const CompileRequest& request = *job.request;
    std::vector<std::string> argv = job.command;
    argv.insert(argv.end(), {request.source, "-o", "object.co"});
    return pm::Error{
        fmt::format("{}: {} {}\n  command, in {}{}: {}{}", job.name(), request.toolchain->spec.name, what,
                    request.root.string(), request.edits.empty() ? "" : ", the source edited", shell_text(argv),
                    said.empty() ? std::string("\n  it printed nothing") : "\n  it printed:" + indented(said)) +
        advice(request, said)};
}

/// The programs and device libraries that a compiler's -v lines name: what else the object depends on. `work` holds
/// what is made anew each time.
std::vector<FileStamp> tools_of(const Job& job, const std::string& verbose, const fs::path& work) {
    std::vector<FileStamp> tools;
    std::set<std::string> seen;
    const auto add = [&](const fs::path& path) {
        if (!path.is_absolute() || path.parent_path() == work || !seen.insert(path.string()).second) return;
        if (std::optional<FileStamp> stamp = stamp_of(path)) tools.push_back(std::move(*stamp));
    };
    const fs::path& compiler = job.request->toolchain->compiler;
    add(compiler);
    // hipcc is a script, and its work is done by its neighbours.
    if (job.request->toolchain->spec.kind == CompilerKind::kHipcc) {
        std::error_code error;
        const fs::path real = fs::canonical(compiler, error);
        for (const char* part : {"hipcc.pl", "hipcc.bin", "hipvars.pm"}) add(real.parent_path() / part);
    }
    for (const std::string& line : pm::split(verbose, '\n')) {
        if (!line.starts_with(" \"")) continue;
        const std::size_t end = line.find('"', 2);
        if (end != std::string::npos) add(line.substr(2, end - 2));
        const std::vector<std::string> words = pm::split(line, ' ');
        for (std::size_t i = 0; i + 1 < words.size(); ++i)
            if (words[i] == "-mlink-builtin-bitcode") add(words[i + 1]);
    }
    return tools;
}

/// The files of a dependency list that decide the object besides the source, with their hashes; those inside the root
/// relative to it. Nothing where one changed after `started`: nobody knows which state of it the compiler read.
std::optional<nlohmann::json> includes_of(const Job& job, const std::vector<std::string>& files, const fs::path& work,
                                          std::int64_t started) {
    nlohmann::json includes = nlohmann::json::array();
    const fs::path root = fs::absolute(job.request->root).lexically_normal();
    for (const std::string& file : files) {
        const fs::path absolute = (root / file).lexically_normal();
        if (absolute == (root / job.request->source).lexically_normal()) continue;
        const fs::path from_work = absolute.lexically_relative(work);
        if (!from_work.empty() && *from_work.begin() != "..") continue;
        const fs::path from_root = absolute.lexically_relative(root);
        // Outside the root, `file` itself is what the compiler opened: a folder that is a link keeps its meaning.
        const std::string kept = !from_root.empty() && *from_root.begin() != ".." ? from_root.string() : file;
        const std::optional<FileStamp> stamp = stamp_of(root / kept);
        std::string hash = hash_of_file(root / kept);
        if (!stamp || stamp->changed_ns >= started || hash.empty()) return std::nullopt;
        includes.push_back({{"path", kept}, {"sha256", std::move(hash)}});
    }
    return includes;
}

/// The files of the root, relative to it, that are not there and that the compiler would have taken, or told
/// `__has_include` of: where one comes, the object is another one. Nothing where a macro makes a name.
std::optional<std::set<std::string>> absent_of(const Job& job, const nlohmann::json& includes) {
    std::set<std::string> absent;
    const CompileRequest& request = *job.request;
    const auto add = [&](const fs::path& file, std::string_view text) {
        const IncludedNames asked = included_names(text);
        const std::vector<fs::path> folders = include_folders(file.parent_path(), request.flags);
        for (const std::string& name : asked.names)
            for (const fs::path& folder : folders) {
                const fs::path path = (folder / name).lexically_normal();
                std::error_code ignored;
                if (path.is_relative() && !fs::exists(request.root / path, ignored)) absent.insert(path.string());
            }
        return file.is_absolute() || !asked.computed;
    };
    bool known = add(request.source, job.source_text);
    for (const nlohmann::json& include : includes) {
        const auto file = include.at("path").get<std::string>();
        const pm::Result<std::string> text = pm::read_file(request.root / file);
        known = known && text && add(file, *text);
    }
    if (!known) return std::nullopt;
    return absent;
}

pm::Result<CompiledObject> build(const Job& job) {
    const CompileRequest& request = *job.request;
    pm::Result<WorkFolder> work = WorkFolder::make(job.cache_dir);
    if (!work) return work.error();

    std::string source = request.source;
    std::vector<std::string> argv = job.command;
    if (!request.edits.empty()) {
        const fs::path copy = work->path() / fs::path(request.source).filename();
        // Messages name the file that the author knows, and its folder's headers are found as before.
        if (auto written =
                pm::write_file_atomically(copy, fmt::format("#line 1 \"{}\"\n{}", request.source, job.source_text));
            !written)
            return written.error();
        const fs::path folder = fs::path(request.source).parent_path();
        argv.insert(argv.end(), {"-iquote", folder.empty() ? "." : folder.string(),
                                 fmt::format("-fdebug-prefix-map={}=.", work->path().string())});
        source = copy.string();
    }
    const fs::path object = work->path() / "object";
    const fs::path depfile = work->path() / "dependencies";
    const auto own_parts = own_hip_parts(job, work->path());
    if (!own_parts) return own_parts.error().with(job.name());
    argv.insert(argv.end(), own_parts->begin(), own_parts->end());
    argv.insert(argv.end(), {source, "-o", object.string()});
    const std::vector<std::string> plain = argv;
    // -MD is ignored where the device alone is compiled, so the list is asked of the compiler proper; -v names the
    // programs that ran.
    argv.insert(argv.end(), {"-v", "-Xclang", "-dependency-file", "-Xclang", depfile.string(), "-Xclang", "-MT",
                             "-Xclang", "object", "-Xclang", "-sys-header-deps"});

    const std::vector<std::string> environment = environment_of(request);
    const fs::path root = fs::absolute(request.root);
    const std::int64_t started = file_clock_past_now_ns();
    const pm::Result<Finished> done = run({argv, root, environment});
    if (!done) return done.error().with(job.name());
    if (!done->succeeded()) {
        // Again, without what -v prints between the messages.
        const pm::Result<Finished> again = run({plain, root, environment});
        const Finished& told = again && !again->succeeded() ? *again : *done;
        return compiler_error(job, "failed: " + told.how(), told.out + told.err);
    }
    pm::Result<std::string> bytes = pm::read_file(object);
    if (!bytes) return compiler_error(job, "succeeded, but wrote no object", done->out);
    const pm::Result<pm::CodeObject> parsed =
        pm::parse_code_object(*bytes, fmt::format("the object of {}", job.name()), request.chip);
    if (!parsed)
        return compiler_error(job,
                              fmt::format("succeeded, but wrote {} bytes that are no code object for {}: {}",
                                          bytes->size(), request.chip->name, parsed.error().text),
                              done->out);
    const pm::Result<std::string> dependencies = pm::read_file(depfile);
    if (!dependencies)
        return compiler_error(job, "succeeded, but wrote no dependency list; a driver of clang is expected", done->out);

    if (request.edits.empty()) {
        const pm::Result<std::string> source_now = pm::read_file(request.root / request.source);
        if (!source_now || *source_now != job.source_text)
            return pm::Error{fmt::format("{}: it changed while it was being compiled; run again", job.name())};
    }

    CompiledObject compiled;
    compiled.fingerprint = make_fingerprint(parsed->idents, fingerprint_flags(request));
    const std::string hash = pm::sha256_hex(*bytes);
    compiled.object = job.object(hash);
    if (auto written = pm::write_file_atomically(compiled.object, *bytes); !written)
        return pm::Error{written.error().text + "; HKC_CACHE_DIR names another folder for the cache"};
    compiled.bytes = std::move(*bytes);

    const std::optional<nlohmann::json> includes =
        includes_of(job, parse_depfile(*dependencies), work->path(), started);
    if (!includes) return compiled;
    const auto absent = absent_of(job, *includes);
    if (!absent) return compiled;
    nlohmann::json tools = nlohmann::json::array();
    for (const FileStamp& tool : tools_of(job, done->err, work->path())) tools.push_back(to_json(tool));
    const nlohmann::json manifest = {
        {"object", hash},
        {"fingerprint",
         {{"idents", compiled.fingerprint.idents},
          {"flags", compiled.fingerprint.flags},
          {"linkers", compiled.fingerprint.linkers}}},
        {"tools", tools},
        {"includes", *includes},
        {"absent", *absent},
    };
    if (auto written = write_sealed(job.manifest(), manifest); !written) return written.error();
    return compiled;
}

} // namespace

fs::path default_cache_dir(const fs::path& root) {
    if (const char* named = std::getenv("HKC_CACHE_DIR"); named != nullptr && *named != '\0') return named;
    fs::path own = root / ".cache";
    std::error_code error;
    const bool installed = fs::equivalent(root, pm::installed_data(pm::program_file()), error);
    if (!installed && (::access(own.c_str(), W_OK) == 0 || ::access(root.c_str(), W_OK) == 0)) {
        // A cache is no part of the user's tree. Whoever writes to the folder says what hinders that.
        const fs::path ignored = own / ".gitignore";
        if (!fs::exists(ignored, error)) (void)pm::write_file_atomically(ignored, "*\n");
        return own;
    }
    if (const char* caches = std::getenv("XDG_CACHE_HOME"); caches != nullptr && *caches == '/')
        return fs::path(caches) / "hip-kernel-contract";
    if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
        return fs::path(home) / ".cache/hip-kernel-contract";
    return own;
}

std::string first_compiler_error(std::string_view output) {
    for (const std::string& line : pm::split(output, '\n'))
        if (line.find("error: ") != std::string::npos) {
            const std::size_t text = line.find_first_not_of(' ');
            return line.substr(text);
        }
    return {};
}

std::vector<std::string> compile_command(const CompileRequest& request) {
    std::vector<std::string> command = {request.toolchain->compiler.string()};
    const std::vector<std::string> flags = fingerprint_flags(request);
    command.insert(command.end(), flags.begin(), flags.end());
    // Lines for findings, and no folder of this machine with them. They change no code, so they are no part of a
    // fingerprint.
    command.insert(command.end(), {request.types ? "-g" : "-gline-tables-only", "-ffile-compilation-dir=."});
    for (const std::string& define : request.defines) command.push_back("-D" + define);
    return command;
}

pm::Result<CompiledObject> compile(const CompileRequest& request, const fs::path& cache_dir) {
    if (!request.toolchain->spec.builds(request.chip->name))
        return pm::Error{fmt::format("toolchain {} does not build {}; toolchains.toml:{} says what it builds: {}",
                                     request.toolchain->spec.name, request.chip->name, request.toolchain->spec.line,
                                     fmt::join(request.toolchain->spec.chips, ", "))};
    pm::Result<Job> job = prepare(request, cache_dir);
    if (!job) return job.error();
    if (std::optional<CompiledObject> cached = look_up(*job)) return std::move(*cached);
    if (auto made = make_cache_folder(job->manifest().parent_path()); !made) return made.error();
    const CompileLock lock(job->lock());
    if (std::optional<CompiledObject> cached = look_up(*job)) return std::move(*cached);
    pm::Result<CompiledObject> built = build(*job);
    if (!built && pm::interrupted()) return pm::Error{std::string(pm::kInterrupted)};
    return built;
}

std::vector<pm::Result<CompiledObject>> compile_all(std::span<const CompileRequest> requests, const fs::path& cache_dir,
                                                    unsigned jobs, const std::function<void(std::size_t done)>& done) {
    std::vector<std::optional<pm::Result<CompiledObject>>> results(requests.size());
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::size_t finished = 0;
    const auto work = [&] {
        for (std::size_t i = next.fetch_add(1); i < requests.size(); i = next.fetch_add(1)) {
            if (pm::interrupted()) {
                results[i] = pm::Error{std::string(pm::kInterrupted)};
                continue;
            }
            results[i] = compile(requests[i], cache_dir);
            const std::lock_guard guard(mutex);
            ++finished;
            if (done) done(finished);
        }
    };
    {
        const std::size_t count = std::min<std::size_t>(std::max(jobs, 1U), requests.size());
        std::vector<std::jthread> threads;
        for (std::size_t i = 1; i < count; ++i) threads.emplace_back(work);
        work();
    }
    std::vector<pm::Result<CompiledObject>> out;
    out.reserve(results.size());
    for (std::optional<pm::Result<CompiledObject>>& result : results) out.push_back(std::move(*result));
    return out;
}

} // namespace hkc
