// Reads settings documents from standard input, prints the settings or the errors of each.

#include <cstdio>
#include <string>

#include "frames.hpp"
#include "reading.hpp"
#include "report.hpp"

namespace {

std::string standard_input() {
    std::string data;
    char buffer[65536];
    for (std::size_t count; (count = std::fread(buffer, 1, sizeof buffer, stdin)) > 0;) {
        data.append(buffer, count);
    }
    return data;
}

}  // namespace

int main() {
    for (const Frame& frame : frames(standard_input())) {
        const std::string text = report(frame.name, read(frame.text));
        std::fwrite(text.data(), 1, text.size(), stdout);
    }
    return 0;
}
