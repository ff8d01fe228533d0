// All that steps can change, and what time does to it.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "text.hpp"
#include "venue.hpp"

// `venue` is a place in State::venues; `known` maps the name of a seat to the version that the transaction knows.
struct Transaction {
    std::size_t venue = 0;
    std::map<std::string, long long> known;

    void learn(const Seat& seat) { known[seat.name] = seat.version; }
};

// A client and a ticket of this client.
using TicketKey = std::pair<std::string, std::string>;

struct State {
    long long clock = 0;
    std::vector<Venue> venues;
    std::map<std::string, Transaction> transactions;
    std::map<TicketKey, std::vector<std::string>> tickets;

    // The place of the venue of this name, or the number of venues if there is none.
    std::size_t find_venue(const std::string& name) const {
        std::size_t place = 0;
        while (place < venues.size() && venues[place].name != name) {
            ++place;
        }
        return place;
    }

    // Lets all holds expire that end up to `at`; returns the event lines.
    Lines advance(long long at) {
        Lines events;
        for (const Seat* first = first_to_expire(); first != nullptr && first->until <= at; first = first_to_expire()) {
            const long long due = first->until;
            for (Venue& venue : venues) {
                append(events, expire(venue, due));
            }
        }
        clock = at;
        return events;
    }

    // Grants each wish on the waiting list that can be met now; returns the event lines.
    Lines promote(Venue& venue, long long at) {
        Lines events;
        const std::vector<Step> waiting = venue.waiting;
        for (const Step& wish : waiting) {
            const Seats seats = venue.available(wish);
            if (seats.empty() || venue.would_exceed(wish.client, static_cast<int>(seats.size()))) {
                continue;
            }
            venue.forget_wish(wish.client);
            const long long until = at + wish.lasting;
            std::string event = "promoted " + std::to_string(at) + " " + venue.name + " " + wish.client + " " + std::to_string(until);
            for (Seat* seat : seats) {
                seat->hold(wish.client, until);
                transactions[wish.client].learn(*seat);
                event += " " + seat->name;
            }
            events.push_back(event);
        }
        return events;
    }

    static void append(Lines& lines, const Lines& more) { lines.insert(lines.end(), more.begin(), more.end()); }

private:
    const Seat* first_to_expire() const {
        const Seat* first = nullptr;
        for (const Venue& venue : venues) {
            for (const Seat& seat : venue.seats) {
                if (seat.status == Status::held && (first == nullptr || seat.until < first->until)) {
                    first = &seat;
                }
            }
        }
        return first;
    }

    Lines expire(Venue& venue, long long due) {
        Lines events;
        for (Seat& seat : venue.seats) {
            if (seat.status == Status::held && seat.until == due) {
                events.push_back("expired " + std::to_string(due) + " " + venue.name + " " + seat.name + " " + seat.client);
                seat.free();
            }
        }
        append(events, promote(venue, due));
        return events;
    }
};
