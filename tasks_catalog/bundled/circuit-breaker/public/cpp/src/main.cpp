// Answers circuit breaker requests: JSON lines in, JSON lines out.

#include <iostream>
#include <string>

#include "guard.hpp"
#include "json.hpp"

int main() {
    std::ios::sync_with_stdio(false);
    std::cin.tie(nullptr);
    Guard guard;
    std::string line;
    while (std::getline(std::cin, line)) {
        std::cout << json::write(guard.answer(line)) << '\n';
    }
    std::cout.flush();
    return std::cout ? 0 : 1;
}
