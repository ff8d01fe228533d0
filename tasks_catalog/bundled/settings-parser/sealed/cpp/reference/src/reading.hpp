// Reads a document statement by statement.

#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "document.hpp"
#include "given.hpp"
#include "printing.hpp"
#include "references.hpp"
#include "scanner.hpp"
#include "words.hpp"

// Returns the path, none if there was an error in one of the keys.
inline std::optional<Path> path_of(const std::vector<Key>& keys) {
    Path path;
    for (const Key& key : keys) {
        if (!key.text) {
            return std::nullopt;
        }
        path.push_back(*key.text);
    }
    return path;
}

class Reader {
public:
    explicit Reader(const std::string& text) : scanner_(text) {}

    // Returns all settings, or all errors.
    Document document() {
        while (scanner_.here() != nothing) {
            statement();
        }
        const Resolver resolver(given_);
        resolver.note_errors(scanner_);
        if (!scanner_.errors.empty()) {
            return {{}, scanner_.errors};
        }
        std::vector<Path> paths;
        std::transform(given_.settings.begin(), given_.settings.end(), std::back_inserter(paths),
                       [](const auto& setting) { return setting.first; });
        Document document;
        for (const Path& path : paths) {
            document.settings.push_back({printed_path(path), resolver.printed(path)});
        }
        return document;
    }

private:
    Scanner scanner_;
    Given given_;
    // None if there is no section to put settings into.
    std::optional<Path> section_ = Path{};

    void statement() {
        scanner_.open_lists = 0;
        try {
            scanner_.blanks();
            if (scanner_.at_line_end() || scanner_.here() == U'#') {
                scanner_.end();
            } else if (scanner_.here() == U'[') {
                header();
            } else {
                setting();
            }
        } catch (const Broken&) {
            // It was reported, and the next statement can be read.
        }
    }

    void header() {
        // Until the header has proved to be right, there is no section to put settings into.
        section_ = std::nullopt;
        scanner_.position++;
        const std::vector<Key> keys = scanner_.path(U']');
        scanner_.end();
        const std::optional<Path> path = path_of(keys);
        if (!path) {
            return;
        }
        const std::size_t clash = given_.open_section(*path);
        if (clash > 0) {
            scanner_.note(keys[clash - 1].start, "key-section-clash");
            return;
        }
        section_ = path;
    }

    void setting() {
        const Key key = scanner_.key();
        scanner_.blanks();
        const bool appends = reads_append();
        scanner_.blanks();
        const std::size_t start = scanner_.position;
        const Part part{whole_value(), start};
        if (!section_ || !key.text) {
            return;
        }
        Path path = *section_;
        path.push_back(*key.text);
        const char* kind = appends ? given_.append(path, part) : given_.set(path, part);
        if (kind != nullptr) {
            scanner_.note(key.start, kind);
        }
    }

    // Reads an operator and tells whether it appends.
    bool reads_append() {
        if (scanner_.here() == U'=') {
            scanner_.position++;
            return false;
        }
        if (scanner_.here() == U'+' && scanner_.next() == U'=') {
            scanner_.position += 2;
            return true;
        }
        throw scanner_.fail(scanner_.position, "expected-operator");
    }

    Value whole_value() {
        try {
            Value read = value();
            scanner_.end();
            return read;
        } catch (const Broken&) {
            return {};
        }
    }

    Value value() {
        if (scanner_.here() == U'"') {
            const std::optional<std::string> text = scanner_.string();
            return text ? single(printed_string(*text)) : Value{};
        }
        if (scanner_.here() == U'[') {
            return list();
        }
        if (scanner_.here() == U'$' && scanner_.next() == U'{') {
            return reference();
        }
        if (!scanner_.at_word()) {
            throw scanner_.fail(scanner_.position, "expected-value");
        }
        return word();
    }

    static Value single(const std::string& printed) {
        Value value;
        value.type = Value::Type::single;
        value.printed = printed;
        return value;
    }

    Value list() {
        const std::size_t opening = scanner_.position;
        scanner_.position++;
        scanner_.open_lists++;
        Value read;
        read.type = Value::Type::list;
        scanner_.space_in_list(opening);
        while (scanner_.here() != U']') {
            read.elements.push_back(value());
            scanner_.space_in_list(opening);
            if (scanner_.here() == U',') {
                scanner_.position++;
                scanner_.space_in_list(opening);
            } else if (scanner_.here() != U']') {
                throw scanner_.fail(scanner_.position, "expected-comma");
            }
        }
        scanner_.position++;
        scanner_.open_lists--;
        return read;
    }

    Value reference() {
        Value read;
        read.start = scanner_.position;
        scanner_.position += 2;
        const std::optional<Path> path = path_of(scanner_.path(U'}'));
        if (path) {
            read.type = Value::Type::reference;
            read.path = *path;
        }
        return read;
    }

    Value word() {
        const std::size_t start = scanner_.position;
        try {
            return single(read_word(scanner_.word()));
        } catch (const WrongWord& error) {
            scanner_.note(start + error.offset, error.kind);
            return {};
        }
    }
};

inline Document read(const std::string& text) {
    return Reader(text).document();
}
