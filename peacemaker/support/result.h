// A value or an error with context: what every fallible function of this project returns.
//
//   Result<Chip> c = find_chip("gfx1151");
//   if (!c) return c.error().with("toolchains.toml:3");
//
// No exception crosses a module; libraries that throw are wrapped where they are called.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace pm {

/// What went wrong, in one or more lines of plain text: what was read, where, what was expected, what to do next.
struct Error {
    std::string text;

    /// The same error behind "where: ".
    [[nodiscard]] Error with(const std::string& where) const { return Error{where + ": " + text}; }
};

/// A T or an Error. Reading the side that is not there is a programming error (asserted).
template <typename T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    [[nodiscard]] bool has_value() const { return state_.index() == 0; }
    explicit operator bool() const { return has_value(); }
    T& operator*() & { return *std::get_if<0>(&state_); }
    const T& operator*() const& { return *std::get_if<0>(&state_); }
    T&& operator*() && { return std::move(*std::get_if<0>(&state_)); }
    T* operator->() { return std::get_if<0>(&state_); }
    const T* operator->() const { return std::get_if<0>(&state_); }
    [[nodiscard]] const Error& error() const {
        assert(!has_value());
        return *std::get_if<1>(&state_);
    }

private:
    std::variant<T, Error> state_;
};

/// Success, or an Error.
template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : error_(std::move(error)), failed_(true) {}

    [[nodiscard]] bool has_value() const { return !failed_; }
    explicit operator bool() const { return has_value(); }
    [[nodiscard]] const Error& error() const {
        assert(failed_);
        return error_;
    }

private:
    Error error_;
    bool failed_ = false;
};

} // namespace pm
