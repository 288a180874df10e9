#include "contract/gates/certificate.h"

#include "contract/gates/gate.h"

#include <fmt/format.h>

#include <algorithm>

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

} // namespace

Certificates certify_object(const pm::Result<pm::CodeObject>& object) {
    if (!object) return object.error();
    if (object->chip == nullptr) return pm::Error{"the object's chip is not known"};
    const auto analysed = pm::certify::certify(*object);
    if (!analysed) return analysed.error();
    std::vector<Certificate> certificates;
    for (const pm::certify::KernelCertificate& kernel : analysed->kernels)
        certificates.push_back(certificate_of(kernel));
    return certificates;
}

std::vector<Certificate> certificates_of(const Certificates& analysed, const std::vector<Launch>& launches) {
    std::vector<Certificate> certificates;
    for (const Launch& launch : launches) {
        if (std::any_of(certificates.begin(), certificates.end(),
                        [&](const Certificate& one) { return one.kernel == launch.symbol; }))
            continue;
        Certificate certificate{launch.symbol, Verdict::kUnchecked, {}};
        if (!analysed) {
            certificate.reasons.push_back({analysed.error().text});
        } else {
            const auto found = std::find_if(analysed->begin(), analysed->end(),
                                            [&](const Certificate& one) { return one.kernel == launch.symbol; });
            if (found != analysed->end())
                certificate = *found;
            else
                certificate.reasons.push_back({"no such kernel in the object"});
        }
        certificates.push_back(std::move(certificate));
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
