// Merges edited texts: blocks of lines in, results out.

#include <iostream>
#include <string>
#include <vector>

#include "answers.hpp"

int main() {
    std::ios::sync_with_stdio(false);
    std::vector<std::string> lines;
    for (std::string line; std::getline(std::cin, line);) {
        lines.push_back(line);
    }
    std::cout << answers(lines) << std::flush;
    return 0;
}
