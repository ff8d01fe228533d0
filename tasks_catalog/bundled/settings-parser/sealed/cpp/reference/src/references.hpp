// Follows references from setting to setting.

#pragma once

#include <set>
#include <string>
#include <vector>

#include "given.hpp"
#include "printing.hpp"
#include "scanner.hpp"

class Resolver {
public:
    explicit Resolver(const Given& given) : given_(given) {}

    // Notes every error that shows only when the whole document is known.
    void note_errors(Scanner& scanner) const {
        for (const auto& [path, parts] : given_.settings) {
            for (const Value* reference : references_of(path)) {
                if (!given_.has(reference->path)) {
                    scanner.note(reference->start, "undefined-reference");
                } else if (leads_to(reference->path, path)) {
                    scanner.note(reference->start, "reference-cycle");
                }
            }
            for (const Part& part : parts) {
                if (parts.size() > 1 && is_single(part.value)) {
                    scanner.note(part.start, "not-a-list");
                }
            }
        }
    }

    // Returns the value of a setting as it is printed, in a document without errors.
    std::string printed(const Path& path) const {
        const std::vector<Part>& parts = given_.parts_of(path);
        return parts.size() == 1 ? printed_value(parts[0].value) : printed_list(elements_of(path));
    }

private:
    const Given& given_;

    std::vector<const Value*> references_of(const Path& path) const {
        std::vector<const Value*> found;
        for (const Part& part : given_.parts_of(path)) {
            add_references(part.value, found);
        }
        return found;
    }

    bool leads_to(const Path& start, const Path& goal) const {
        std::vector<Path> waiting = {start};
        std::set<Path> seen = {start};
        while (!waiting.empty()) {
            const Path path = waiting.back();
            waiting.pop_back();
            if (path == goal) {
                return true;
            }
            for (const Value* reference : references_of(path)) {
                if (seen.insert(reference->path).second) {
                    waiting.push_back(reference->path);
                }
            }
        }
        return false;
    }

    // Tells whether a value is known to be no list.
    bool is_single(const Value& value) const {
        std::set<Path> seen;
        const Value* last = &value;
        while (last->type == Value::Type::reference) {
            const std::vector<Part>& parts = given_.parts_of(last->path);
            if (parts.size() != 1 || !seen.insert(last->path).second) {
                return false;
            }
            last = &parts[0].value;
        }
        return last->type == Value::Type::single;
    }

    std::string printed_value(const Value& value) const {
        switch (value.type) {
            case Value::Type::reference:
                return printed(value.path);
            case Value::Type::list:
                return printed_list(printed_all(value.elements));
            default:
                return value.printed;
        }
    }

    std::vector<std::string> printed_all(const std::vector<Value>& values) const {
        std::vector<std::string> all;
        for (const Value& value : values) {
            all.push_back(printed_value(value));
        }
        return all;
    }

    // Returns the printed elements of a setting that is a list.
    std::vector<std::string> elements_of(const Path& path) const {
        std::vector<std::string> elements;
        for (const Part& part : given_.parts_of(path)) {
            const bool is_reference = part.value.type == Value::Type::reference;
            for (const std::string& element :
                 is_reference ? elements_of(part.value.path) : printed_all(part.value.elements)) {
                elements.push_back(element);
            }
        }
        return elements;
    }
};
