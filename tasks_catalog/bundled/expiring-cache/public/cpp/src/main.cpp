// Plays commands through the model of a cache: lines in, lines out.

#include <iostream>
#include <string>

#include "cache.hpp"

int main() {
    std::ios::sync_with_stdio(false);
    Cache cache;
    std::string line;
    while (std::getline(std::cin, line)) {
        for (const std::string& answer : cache.answer(line)) {
            std::cout << answer << '\n';
        }
    }
    return 0;
}
