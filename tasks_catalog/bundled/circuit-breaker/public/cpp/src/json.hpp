// JSON values: read strictly as RFC 8259 says, written on one line. Text is UTF-8.

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace json {

enum class Kind { Null, Bool, Number, Text, List, Object };

struct Member;

// One JSON value. Which of its parts holds something depends on its kind.
struct Value {
    Kind kind = Kind::Null;
    bool boolean = false;
    double number = 0;  // every number, whole or not; one beyond the range is infinite, and is written as null
    std::string text;
    std::vector<Value> elements;
    std::vector<Member> members;  // as they were written; of several with one name, the last one counts

    // The member of an object with exactly this name; null if there is none or this is no object.
    const Value* find(std::string_view name) const;

    // Adds a member to an object.
    void add(std::string name, Value value);
};

struct Member {
    std::string name;
    Value value;
};

// The text is not one JSON value.
struct NotJson : std::runtime_error {
    NotJson() : std::runtime_error("not one JSON value") {}
};

inline const Value* Value::find(std::string_view name) const {
    for (std::size_t index = members.size(); index > 0; --index) {
        if (members[index - 1].name == name) {
            return &members[index - 1].value;
        }
    }
    return nullptr;
}

inline void Value::add(std::string name, Value value) {
    members.push_back({std::move(name), std::move(value)});
}

inline Value of_kind(Kind kind) {
    Value value;
    value.kind = kind;
    return value;
}

inline Value null() { return of_kind(Kind::Null); }

inline Value object() { return of_kind(Kind::Object); }

inline Value boolean(bool boolean) {
    Value value = of_kind(Kind::Bool);
    value.boolean = boolean;
    return value;
}

inline Value integer(std::int64_t integer) {
    Value value = of_kind(Kind::Number);
    value.number = static_cast<double>(integer);
    return value;
}

inline Value text(std::string_view text) {
    Value value = of_kind(Kind::Text);
    value.text = text;
    return value;
}

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    Value parse() {
        Value found = value();
        skip_space();
        require(position_ == text_.size());
        return found;
    }

private:
    // Deeper nesting is refused, since every level takes some of the stack.
    static constexpr int kDeepest = 1000;

    std::string_view text_;
    std::size_t position_ = 0;
    int depth_ = 0;

    static void require(bool condition) {
        if (!condition) {
            throw NotJson();
        }
    }

    Value value() {
        skip_space();
        const char next = peek();
        if (next == '{' || next == '[') {
            return nested(next);
        }
        if (next == '"') {
            return text(string());
        }
        if (next == '-' || is_digit(next)) {
            return number();
        }
        return word();
    }

    Value nested(char opening) {
        require(depth_ < kDeepest);
        ++depth_;
        ++position_;
        Value found = opening == '{' ? object() : list();
        --depth_;
        return found;
    }

    Value object() {
        Value found = of_kind(Kind::Object);
        skip_space();
        if (take('}')) {
            return found;
        }
        while (true) {
            skip_space();
            std::string name = string();
            skip_space();
            require(take(':'));
            found.add(std::move(name), value());
            skip_space();
            if (take('}')) {
                return found;
            }
            require(take(','));
        }
    }

    Value list() {
        Value found = of_kind(Kind::List);
        skip_space();
        if (take(']')) {
            return found;
        }
        while (true) {
            found.elements.push_back(value());
            skip_space();
            if (take(']')) {
                return found;
            }
            require(take(','));
        }
    }

    std::string string() {
        require(take('"'));
        std::string found;
        while (true) {
            const char next = peek();
            require(static_cast<unsigned char>(next) >= 0x20);
            ++position_;
            if (next == '"') {
                return found;
            }
            if (next == '\\') {
                append_escaped(found);
            } else {
                found.push_back(next);
            }
        }
    }

    void append_escaped(std::string& found) {
        const char letter = peek();
        ++position_;
        switch (letter) {
            case '"':
            case '\\':
            case '/':
                found.push_back(letter);
                break;
            case 'b':
                found.push_back('\b');
                break;
            case 'f':
                found.push_back('\f');
                break;
            case 'n':
                found.push_back('\n');
                break;
            case 'r':
                found.push_back('\r');
                break;
            case 't':
                found.push_back('\t');
                break;
            case 'u':
                append_utf8(found, unicode_escaped());
                break;
            default:
                throw NotJson();
        }
    }

    // A surrogate that is not one of a pair becomes U+FFFD: UTF-8 can't hold it.
    std::uint32_t unicode_escaped() {
        const std::uint32_t unit = four_digits();
        if (unit < 0xd800 || unit > 0xdfff) {
            return unit;
        }
        const std::size_t after = position_;
        if (unit < 0xdc00 && text_.substr(after, 2) == "\\u") {
            position_ += 2;
            const std::uint32_t second = four_digits();
            if (second >= 0xdc00 && second <= 0xdfff) {
                return 0x10000 + ((unit - 0xd800) << 10) + (second - 0xdc00);
            }
            position_ = after;
        }
        return 0xfffd;
    }

    std::uint32_t four_digits() {
        std::uint32_t unit = 0;
        for (int count = 0; count < 4; ++count) {
            const char digit = peek();
            if (is_digit(digit)) {
                unit = unit * 16 + static_cast<std::uint32_t>(digit - '0');
            } else if (digit >= 'a' && digit <= 'f') {
                unit = unit * 16 + static_cast<std::uint32_t>(digit - 'a' + 10);
            } else if (digit >= 'A' && digit <= 'F') {
                unit = unit * 16 + static_cast<std::uint32_t>(digit - 'A' + 10);
            } else {
                throw NotJson();
            }
            ++position_;
        }
        return unit;
    }

    static void append_utf8(std::string& found, std::uint32_t code) {
        const auto push = [&found](std::uint32_t byte) { found.push_back(static_cast<char>(byte)); };
        if (code < 0x80) {
            push(code);
            return;
        }
        if (code < 0x800) {
            push(0xc0 | code >> 6);
        } else {
            if (code < 0x10000) {
                push(0xe0 | code >> 12);
            } else {
                push(0xf0 | code >> 18);
                push(0x80 | (code >> 12 & 0x3f));
            }
            push(0x80 | (code >> 6 & 0x3f));
        }
        push(0x80 | (code & 0x3f));
    }

    Value number() {
        const std::size_t start = position_;
        take('-');
        if (!take('0')) {
            digits();
        }
        if (take('.')) {
            digits();
        }
        if (take('e') || take('E')) {
            if (!take('+')) {
                take('-');
            }
            digits();
        }
        Value found = of_kind(Kind::Number);
        found.number = std::strtod(std::string(text_.substr(start, position_ - start)).c_str(), nullptr);
        return found;
    }

    // At least one digit.
    void digits() {
        require(is_digit(peek()));
        while (is_digit(peek())) {
            ++position_;
        }
    }

    Value word() {
        if (take_word("null")) {
            return null();
        }
        if (take_word("true")) {
            return boolean(true);
        }
        require(take_word("false"));
        return boolean(false);
    }

    bool take_word(std::string_view word) {
        const bool found = text_.substr(position_, word.size()) == word;
        if (found) {
            position_ += word.size();
        }
        return found;
    }

    void skip_space() {
        while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') {
            ++position_;
        }
    }

    bool take(char character) {
        const bool found = peek() == character;
        if (found) {
            ++position_;
        }
        return found;
    }

    // The end looks like the character 0, which no JSON holds unescaped.
    char peek() const { return position_ < text_.size() ? text_[position_] : '\0'; }

    static bool is_digit(char character) { return character >= '0' && character <= '9'; }
};

// Reads a text that is one JSON value, with or without white space around it, or throws NotJson.
inline Value parse(std::string_view text) { return Parser(text).parse(); }

inline void append_text(std::string& out, std::string_view text) {
    out.push_back('"');
    for (const char character : text) {
        if (character == '"' || character == '\\') {
            out.push_back('\\');
            out.push_back(character);
        } else if (static_cast<unsigned char>(character) < 0x20) {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(character));
            out += escaped;
        } else {
            out.push_back(character);
        }
    }
    out.push_back('"');
}

inline void append(std::string& out, const Value& value) {
    const char* separator = "";
    switch (value.kind) {
        case Kind::Null:
            out += "null";
            break;
        case Kind::Bool:
            out += value.boolean ? "true" : "false";
            break;
        case Kind::Number: {
            char digits[32] = "null";
            if (std::isfinite(value.number)) {
                std::snprintf(digits, sizeof digits, "%.17g", value.number);
            }
            out += digits;
            break;
        }
        case Kind::Text:
            append_text(out, value.text);
            break;
        case Kind::List:
            out.push_back('[');
            for (const Value& element : value.elements) {
                out += separator;
                append(out, element);
                separator = ", ";
            }
            out.push_back(']');
            break;
        case Kind::Object:
            out.push_back('{');
            for (const Member& member : value.members) {
                out += separator;
                append_text(out, member.name);
                out += ": ";
                append(out, member.value);
                separator = ", ";
            }
            out.push_back('}');
            break;
    }
}

inline std::string write(const Value& value) {
    std::string out;
    append(out, value);
    return out;
}

}  // namespace json
