// A venue and its seats.
#pragma once

#include <string>
#include <vector>

enum class Status { free, held, booked };

inline std::string word(Status status) {
    switch (status) {
        case Status::free:
            return "free";
        case Status::held:
            return "held";
        default:
            return "booked";
    }
}

// One numbered seat and who has it.
struct Seat {
    std::string name;
    Status status = Status::free;
    std::string client;
    long long version = 0;

    void change(Status new_status, const std::string& new_client) {
        status = new_status;
        client = new_client;
        version += 1;
    }
};

// The seats in plan order, and the clients who wait for one.
class Venue {
public:
    std::vector<Seat> seats;
    std::vector<std::string> waiting;

    void add_row(const std::string& row, int count) {
        for (int number = 1; number <= count; ++number) {
            Seat seat;
            seat.name = row + std::to_string(number);
            seats.push_back(seat);
        }
    }

    // The seat of this name, or null.
    Seat* find(const std::string& name) {
        for (Seat& seat : seats) {
            if (seat.name == name) {
                return &seat;
            }
        }
        return nullptr;
    }

    // Frees what the client holds; returns the names of these seats.
    std::vector<std::string> free_all_of(const std::string& client) {
        std::vector<std::string> names;
        for (Seat& seat : seats) {
            if (seat.status == Status::held && seat.client == client) {
                seat.change(Status::free, "");
                names.push_back(seat.name);
            }
        }
        return names;
    }
};
