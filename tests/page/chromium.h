// A page in headless Chromium.
#pragma once

#include "contract/toolchain/subprocess.h"

#include <filesystem>
#include <fstream>
#include <string>

namespace hkc::page {

/// Loads `page` with `script` behind it, in `folder`, which it fills; the document then is in `out`, and what the
/// console was told, in lines with CONSOLE, in `err`.
inline pm::Result<Finished> load_in_chromium(const std::filesystem::path& folder, const std::string& page,
                                             const std::string& script) {
    const std::filesystem::path file = folder / "page.html";
    std::ofstream(file) << page << "<script>" << script << "</script>\n";
    return run({{"/usr/bin/env", "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--no-first-run", "--enable-logging=stderr", "--user-data-dir=" + (folder / "profile").string(),
                 "--dump-dom", "file://" + file.string()},
                folder,
                {"PATH=/usr/bin:/bin", "HOME=" + folder.string(), "LC_ALL=C.UTF-8"}});
}

} // namespace hkc::page
