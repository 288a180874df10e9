#include "contract/page/compared.h"

#include "contract/receipt/receipt.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace hkc::page {
namespace {

bool is_receipt(const std::string& text) {
    const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    return json.is_object() && json.value("tool", nlohmann::json()) == "hip-kernel-contract-receipt";
}

pm::Result<Compared> of_receipt(const NamedReport& named) {
    auto receipt = receipt::read_json(named.text);
    if (!receipt) return receipt.error().with(named.name);
    if (!receipt->head.run)
        return pm::Error{
            fmt::format("{}: the receipt tells no run of its head: {}", named.name, receipt->head.not_run)};
    Compared compared{std::move(*receipt->head.run), {}, receipt->base.commit};
    if (receipt->base.run) compared.base = std::move(receipt->base.run->outcome);
    return compared;
}

} // namespace

pm::Result<Compared> read_compared(const std::vector<NamedReport>& reports, const std::optional<NamedReport>& base) {
    Compared compared;
    if (reports.size() == 1 && is_receipt(reports.front().text)) {
        auto read = of_receipt(reports.front());
        if (!read) return read.error();
        compared = std::move(*read);
    } else {
        auto whole = merge_reports(reports, {});
        if (!whole) return whole.error();
        compared.report = std::move(*whole);
    }
    if (base) {
        auto read = read_compared({*base}, std::nullopt);
        if (!read) return read.error();
        const std::string& commit = read->report.description.commit;
        compared.base_name = commit.empty() ? base->name : commit;
        compared.base = std::move(read->report.outcome);
    }
    return compared;
}

} // namespace hkc::page
