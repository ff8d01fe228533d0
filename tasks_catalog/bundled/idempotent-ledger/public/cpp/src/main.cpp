// Answers ledger commands: one command on each line, answers as lines of words.

#include <iostream>
#include <string>

#include "desk.hpp"

int main() {
    std::ios::sync_with_stdio(false);
    std::cin.tie(nullptr);
    Desk desk;
    std::string line;
    while (std::getline(std::cin, line)) {
        for (const std::string& answer : desk.answer(line)) {
            std::cout << answer << '\n';
        }
    }
    std::cout.flush();
    return std::cout ? 0 : 1;
}
