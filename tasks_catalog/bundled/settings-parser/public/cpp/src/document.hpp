// What was read from a document.

#pragma once

#include <string>
#include <vector>

// A path and a value as they are printed.
struct Setting {
    std::string path;
    std::string value;
};

// A mistake and its place. Lines and columns count from 1.
struct Mistake {
    std::size_t line;
    std::size_t column;
    std::string kind;
};

struct Document {
    std::vector<Setting> settings;
    std::vector<Mistake> errors;
};
