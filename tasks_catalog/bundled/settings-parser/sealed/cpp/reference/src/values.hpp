// The values of settings while references are not followed yet.

#pragma once

#include <string>
#include <vector>

// The keys of a section or setting.
using Path = std::vector<std::string>;

struct Value {
    // An unknown value has an error in it; a single one is neither a list nor a reference.
    enum class Type { unknown, single, list, reference };

    Type type = Type::unknown;
    std::string printed;          // of a single value
    std::vector<Value> elements;  // of a list
    Path path;                    // of a reference
    std::size_t start = 0;        // of a reference
};

// What stands behind one operator of a setting: a value and where it starts.
struct Part {
    Value value;
    std::size_t start;
};

// Adds all references in a value, also in the lists in it.
inline void add_references(const Value& value, std::vector<const Value*>& found) {
    if (value.type == Value::Type::reference) {
        found.push_back(&value);
    }
    for (const Value& element : value.elements) {
        add_references(element, found);
    }
}
