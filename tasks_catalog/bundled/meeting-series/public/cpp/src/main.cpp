// Plans meetings that repeat: commands in, answers out, a line each.

#include <iostream>
#include <string>

#include "planner.hpp"

int main() {
    std::ios::sync_with_stdio(false);
    Planner planner;
    std::string line;
    while (std::getline(std::cin, line)) {
        for (const std::string& answer : planner.answer(line)) {
            std::cout << answer << '\n';
        }
    }
    std::cout.flush();
    return 0;
}
