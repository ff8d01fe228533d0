// A venue: its seats and its waiting list.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "step.hpp"

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

// A numbered seat. `client` and `until` mean something only while the status calls for them.
struct Seat {
    std::string row;
    std::string name;
    Status status = Status::free;
    std::string client;
    long long until = 0;
    long long version = 0;

    Seat(const std::string& row, int number) : row(row), name(row + std::to_string(number)) {}

    bool is_free() const { return status == Status::free; }
    bool is_held_by(const std::string& asked) const { return status == Status::held && client == asked; }

    void hold(const std::string& new_client, long long new_until) { change(Status::held, new_client, new_until); }
    void book(const std::string& new_client) { change(Status::booked, new_client, 0); }
    void free() { change(Status::free, "", 0); }

private:
    void change(Status new_status, const std::string& new_client, long long new_until) {
        status = new_status;
        client = new_client;
        until = new_until;
        version += 1;
    }
};

using Seats = std::vector<Seat*>;

inline std::vector<std::string> names_of(const Seats& seats) {
    std::vector<std::string> names;
    for (const Seat* seat : seats) {
        names.push_back(seat->name);
    }
    return names;
}

// Seats in plan order, and the `wait` steps that were not granted yet in order of arrival.
struct Venue {
    std::string name;
    int limit;
    std::vector<Seat> seats;
    std::vector<Step> waiting;

    // The seat of this name, or null.
    Seat* find(const std::string& asked) {
        for (Seat& seat : seats) {
            if (seat.name == asked) {
                return &seat;
            }
        }
        return nullptr;
    }

    Seats held_by(const std::string& client) {
        Seats held;
        for (Seat& seat : seats) {
            if (seat.is_held_by(client)) {
                held.push_back(&seat);
            }
        }
        return held;
    }

    int count_booked_by(const std::string& client) const {
        return static_cast<int>(std::count_if(seats.begin(), seats.end(), [&](const Seat& seat) {
            return seat.status == Status::booked && seat.client == client;
        }));
    }

    // Whether so many seats on top of what the client has are too many.
    bool would_exceed(const std::string& client, int wished) {
        return static_cast<int>(held_by(client).size()) + count_booked_by(client) + wished > limit;
    }

    bool is_waiting(const std::string& client) const {
        return std::any_of(waiting.begin(), waiting.end(), [&](const Step& wish) { return wish.client == client; });
    }

    void forget_wish(const std::string& client) {
        const auto is_theirs = [&](const Step& wish) { return wish.client == client; };
        waiting.erase(std::remove_if(waiting.begin(), waiting.end(), is_theirs), waiting.end());
    }

    // The seats that a wish would get now; none if it cannot be met completely.
    Seats available(const Step& wish) {
        if (wish.together > 0) {
            return side_by_side(wish.together);
        }
        Seats wished;
        for (const std::string& asked : wish.seats) {
            wished.push_back(find(asked));
        }
        const bool all_free = std::all_of(wished.begin(), wished.end(), [](const Seat* seat) { return seat->is_free(); });
        return all_free ? wished : Seats();
    }

    // The first `count` seats of the shortest gap that is long enough; none if there is no such gap.
    Seats side_by_side(int count) {
        const std::size_t least = static_cast<std::size_t>(count);
        Seats chosen;
        for (const Seats& gap : gaps()) {
            if (gap.size() >= least && (chosen.empty() || gap.size() < chosen.size())) {
                chosen = gap;
            }
        }
        chosen.resize(std::min(chosen.size(), least));
        return chosen;
    }

private:
    std::vector<Seats> gaps() {
        std::vector<Seats> gaps;
        Seats gap;
        for (Seat& seat : seats) {
            if (!gap.empty() && (seat.row != gap[0]->row || !seat.is_free())) {
                gaps.push_back(gap);
                gap.clear();
            }
            if (seat.is_free()) {
                gap.push_back(&seat);
            }
        }
        if (!gap.empty()) {
            gaps.push_back(gap);
        }
        return gaps;
    }
};
