// Carries out a schedule of booking steps: lines in, lines out.

#include <iostream>
#include <string>

#include "desk.hpp"

int main() {
    std::ios::sync_with_stdio(false);
    Desk desk;
    std::string line;
    while (std::getline(std::cin, line)) {
        for (const std::string& answer : desk.answer(line)) {
            std::cout << answer << '\n';
        }
    }
    return 0;
}
