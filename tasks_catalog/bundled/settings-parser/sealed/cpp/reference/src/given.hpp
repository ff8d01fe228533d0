// The settings and sections that a document gives.

#pragma once

#include <map>
#include <set>
#include <vector>

#include "values.hpp"

class Given {
public:
    // The parts of every value. The map orders paths key by key, and keys by bytes, as UTF-8 orders code points.
    std::map<Path, std::vector<Part>> settings;

    bool has(const Path& path) const { return settings.count(path) > 0; }

    // Returns the parts of the value of a setting, none if it is not given.
    const std::vector<Part>& parts_of(const Path& path) const {
        static const std::vector<Part> none;
        const auto found = settings.find(path);
        return found == settings.end() ? none : found->second;
    }

    // Makes the path a section. Returns 0, or how many of its keys are the path of a setting.
    std::size_t open_section(const Path& path) {
        std::vector<Path> beginnings;
        for (std::size_t length = 1; length <= path.size(); length++) {
            beginnings.emplace_back(path.begin(), path.begin() + length);
            if (has(beginnings.back())) {
                return length;
            }
        }
        sections_.insert(beginnings.begin(), beginnings.end());
        return 0;
    }

    // Returns the kind of error, a null pointer if there is none.
    const char* set(const Path& path, const Part& part) {
        if (sections_.count(path) > 0) {
            return "key-section-clash";
        }
        if (has(path)) {
            return "duplicate-key";
        }
        settings[path] = {part};
        return nullptr;
    }

    // Returns the kind of error, a null pointer if there is none.
    const char* append(const Path& path, const Part& part) {
        if (sections_.count(path) > 0) {
            return "key-section-clash";
        }
        if (!has(path)) {
            settings[path] = {{Value{}, part.start}};
            return "unset-append";
        }
        settings[path].push_back(part);
        return nullptr;
    }

private:
    std::set<Path> sections_;
};
