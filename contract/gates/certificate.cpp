#include "contract/gates/certificate.h"

#include "contract/gates/gate.h"
#include "contract/gates/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace hkc {
namespace {

using pm::certify::Verdict;

std::string obligation_text(const pm::certify::Open& open) {
    return fmt::format("{}: +{:#x} {}{}{}{}{}", open.kind, open.at, open.instruction,
                       open.source.empty() ? "" : fmt::format(" ({})", open.source), open.detail.empty() ? "" : ": ",
                       open.detail, open.path.empty() ? "" : fmt::format("; by way of {}", fmt::join(open.path, "; ")));
}

Certificate certificate_of(const pm::certify::KernelCertificate& kernel) {
    Certificate certificate{kernel.kernel, kernel.verdict, {}};
    for (const pm::certify::Open& open : kernel.open)
        certificate.reasons.push_back({obligation_text(open), open.source});
    for (const std::string& unchecked : kernel.unchecked) certificate.reasons.push_back({unchecked});
    return certificate;
}

bool is_workgroup(const std::array<std::uint32_t, 3>& items) {
    return std::all_of(items.begin(), items.end(), [](std::uint32_t n) { return n > 0; });
}

std::string launch_text(const LaunchedKernel& launch) {
    const auto [x, y, z] = launch.workgroup;
    return fmt::format(", in a workgroup of {} x {} x {}{}", x, y, z,
                       launch.dynamic_lds == 0 ? "" : fmt::format(" with {} bytes of dynamic LDS", launch.dynamic_lds));
}

Certificate certificate_for(const Certificates& analysed, const LaunchedKernel& launch) {
    if (!analysed) return {launch.symbol, Verdict::kUnchecked, {{analysed.error().text}}};
    const auto found = analysed->find(launch);
    if (found == analysed->end()) return {launch.symbol, Verdict::kUnchecked, {{"no such kernel in the object"}}};
    return found->second;
}

} // namespace

std::vector<LaunchedKernel> launched_kernels(const Kernel& kernel) {
    std::vector<LaunchedKernel> launched;
    for (const Launch& launch : kernel.launches)
        for (const Shape& shape : kernel.shapes) {
            const auto geometry = geometry_of(launch, scope_of(kernel, shape));
            if (!geometry) continue;
            LaunchedKernel one{launch.symbol, geometry->block, geometry->dynamic_lds};
            if (std::find(launched.begin(), launched.end(), one) == launched.end()) launched.push_back(std::move(one));
        }
    return launched;
}

Certificates certify_object(const pm::Result<pm::CodeObject>& object, const std::vector<LaunchedKernel>& wanted) {
    if (!object) return object.error();
    if (object->chip == nullptr) return pm::Error{"the object's chip is not known"};
    std::vector<const LaunchedKernel*> found;
    std::vector<pm::certify::Request> requests;
    for (const LaunchedKernel& one : wanted) {
        if (object->find_kernel(one.symbol) == nullptr || !is_workgroup(one.workgroup)) continue;
        found.push_back(&one);
        requests.push_back({one.symbol, {one.workgroup, one.dynamic_lds}});
    }
    const auto analysed = pm::certify::certify(*object, requests);
    if (!analysed) return analysed.error();
    std::map<LaunchedKernel, Certificate> certificates;
    for (std::size_t i = 0; i < found.size(); ++i)
        certificates.emplace(*found[i], certificate_of(analysed->kernels[i]));
    return certificates;
}

std::vector<Certificate> certificates_of(const Certificates& analysed, const std::vector<LaunchedKernel>& launched) {
    std::vector<Certificate> certificates;
    for (const LaunchedKernel& one : launched) {
        if (std::any_of(certificates.begin(), certificates.end(),
                        [&](const Certificate& known) { return known.kernel == one.symbol; }))
            continue;
        std::vector<Certificate> of_symbol;
        const bool several = std::count_if(launched.begin(), launched.end(),
                                           [&](const LaunchedKernel& other) { return other.symbol == one.symbol; }) > 1;
        for (const LaunchedKernel& launch : launched)
            if (launch.symbol == one.symbol) {
                of_symbol.push_back(certificate_for(analysed, launch));
                if (!several) continue;
                for (Certificate::Reason& reason : of_symbol.back().reasons) reason.text += launch_text(launch);
            }
        Certificate merged{one.symbol, worst_verdict(of_symbol), {}};
        for (Certificate& certificate : of_symbol)
            std::move(certificate.reasons.begin(), certificate.reasons.end(), std::back_inserter(merged.reasons));
        certificates.push_back(std::move(merged));
    }
    return certificates;
}

Verdict worst_verdict(const std::vector<Certificate>& certificates) {
    Verdict worst = certificates.empty() ? Verdict::kUnchecked : Verdict::kCertified;
    for (const Certificate& certificate : certificates) {
        if (certificate.verdict == Verdict::kOpen) return Verdict::kOpen;
        if (certificate.verdict == Verdict::kUnchecked) worst = Verdict::kUnchecked;
    }
    return worst;
}

void check_certificates(const Subject& subject, GateResult& result) {
    for (const Certificate& certificate : subject.certificates) {
        ++result.checks;
        if (certificate.verdict == Verdict::kCertified) continue;
        const std::vector<Certificate::Reason> none{{"no reason is given"}};
        for (const Certificate::Reason& reason : certificate.reasons.empty() ? none : certificate.reasons)
            add_finding(result, kind::kNotCertified,
                        fmt::format("{} on {}: {} is {}: {}", subject.name, subject.chip->name, certificate.kernel,
                                    verdict_name(certificate.verdict), reason.text),
                        reason.source);
    }
}

} // namespace hkc
