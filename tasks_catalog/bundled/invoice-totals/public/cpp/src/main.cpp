// Answers invoice commands: one command on each line, answers as lines of words.

#include <iostream>
#include <string>

#include "register.hpp"

int main() {
    std::ios::sync_with_stdio(false);
    std::cin.tie(nullptr);
    Register register_;
    std::string line;
    while (std::getline(std::cin, line)) {
        for (const std::string& answer : register_.answer(line)) {
            std::cout << answer << '\n';
        }
    }
    std::cout.flush();
    return std::cout ? 0 : 1;
}
