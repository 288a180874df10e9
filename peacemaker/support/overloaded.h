// std::visit with one lambda an alternative: std::visit(pm::Overloaded{[](const A&) {..}, [](const B&) {..}}, value).
#pragma once

namespace pm {

template <typename... Fs>
struct Overloaded : Fs... {
    using Fs::operator()...;
};
template <typename... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

} // namespace pm
