// Carries out steps.
#pragma once

#include <string>
#include <vector>

#include "refusal.hpp"
#include "state.hpp"
#include "step.hpp"
#include "text.hpp"
#include "venue.hpp"

// Answers one line after the other.
//
// A step works on a copy of the state, which replaces the state if the step is carried out: a
// refused step must leave no trace, not even of the time that passed before it was judged.
class Desk {
public:
    // The answer line of a step, with its event lines around it.
    Lines answer(const std::string& line) {
        try {
            const Step step = parse(line);
            State state = state_;
            const Lines lines = carry_out(state, step);
            state_ = state;
            return lines;
        } catch (const Refused& refusal) {
            return {refusal.answer};
        }
    }

private:
    State state_;

    static Lines carry_out(State& state, const Step& step) {
        if (step.operation == "venue") {
            return {open_venue(state, step)};
        }
        if (step.at < state.clock) {
            throw Refused("time_backwards");
        }
        Lines lines = state.advance(step.at);
        lines.push_back(answer(state, step));
        for (Venue& venue : state.venues) {
            State::append(lines, state.promote(venue, step.at));
        }
        return lines;
    }

    static std::string answer(State& state, const Step& step) {
        if (step.operation == "begin") {
            return begin(state, step);
        }
        if (step.operation == "confirm" && state.tickets.count(ticket_key(step)) > 0) {
            return confirm_again(state, step);
        }
        const auto found = state.transactions.find(step.client);
        if (found == state.transactions.end()) {
            throw Refused("not_open");
        }
        Transaction& transaction = found->second;
        Venue& venue = state.venues[transaction.venue];
        if (step.operation == "read") {
            return read(transaction, venue, step);
        }
        if (step.operation == "hold") {
            return hold(transaction, venue, step);
        }
        if (step.operation == "extend") {
            return extend(venue, step);
        }
        if (step.operation == "release") {
            return release(transaction, venue, step);
        }
        if (step.operation == "confirm") {
            return confirm(state, transaction, venue, step);
        }
        if (step.operation == "cancel") {
            return ok(end(state, venue, step.client));
        }
        return wait(venue, step);
    }

    static std::string open_venue(State& state, const Step& step) {
        if (state.find_venue(step.venue) < state.venues.size()) {
            throw Refused("venue_exists");
        }
        std::vector<Seat> seats;
        for (const Step::Row& row : step.rows) {
            for (int number = 1; number <= row.count; ++number) {
                seats.emplace_back(row.name, number);
            }
        }
        state.venues.push_back({step.venue, step.limit, seats, {}});
        return "ok " + std::to_string(seats.size());
    }

    static std::string begin(State& state, const Step& step) {
        Transaction transaction;
        transaction.venue = state.find_venue(step.venue);
        if (transaction.venue == state.venues.size()) {
            throw Refused("unknown_venue");
        }
        if (state.transactions.count(step.client) > 0) {
            throw Refused("already_open");
        }
        state.transactions[step.client] = transaction;
        return "ok";
    }

    static std::string read(Transaction& transaction, Venue& venue, const Step& step) {
        std::vector<std::string> answers;
        for (const Seat* seat : find(venue, step)) {
            transaction.learn(*seat);
            answers.push_back(seat->name + "=" + word(seat->status) + "/" + std::to_string(seat->version));
        }
        return ok(answers);
    }

    static std::string hold(Transaction& transaction, Venue& venue, const Step& step) {
        if (step.until <= step.at) {
            throw Refused("not_later");
        }
        Seats seats = find(venue, step);
        if (venue.would_exceed(step.client, step.wished())) {
            throw Refused("over_limit");
        }
        for (const Seat* seat : seats) {
            if (!seat->is_free()) {
                throw Refused("taken", seat->name);
            }
        }
        if (step.together > 0) {
            seats = venue.side_by_side(step.together);
            if (seats.empty()) {
                throw Refused("no_room");
            }
        }
        for (Seat* seat : seats) {
            seat->hold(step.client, step.until);
            transaction.learn(*seat);
        }
        return ok(names_of(seats));
    }

    static std::string extend(Venue& venue, const Step& step) {
        const Seats seats = find_held(venue, step);
        for (const Seat* seat : seats) {
            if (step.until <= seat->until) {
                throw Refused("not_longer", seat->name);
            }
        }
        for (Seat* seat : seats) {
            seat->until = step.until;
        }
        return ok(step.seats);
    }

    static std::string release(Transaction& transaction, Venue& venue, const Step& step) {
        for (Seat* seat : find_held(venue, step)) {
            seat->free();
            transaction.learn(*seat);
        }
        return ok(step.seats);
    }

    static std::string confirm(State& state, const Transaction& transaction, Venue& venue, const Step& step) {
        const Seats seats = find(venue, step);
        for (const Seat* seat : seats) {
            if (transaction.known.count(seat->name) == 0) {
                throw Refused("not_read", seat->name);
            }
        }
        if (venue.count_booked_by(step.client) + static_cast<int>(seats.size()) > venue.limit) {
            throw Refused("over_limit");
        }
        for (const Seat* seat : seats) {
            if (seat->version != transaction.known.at(seat->name)) {
                throw Refused("lost_update", seat->name);
            }
        }
        for (const Seat* seat : seats) {
            if (!seat->is_free() && !seat->is_held_by(step.client)) {
                throw Refused("taken", seat->name);
            }
        }
        for (Seat* seat : seats) {
            seat->book(step.client);
        }
        state.tickets[ticket_key(step)] = step.seats;
        end(state, venue, step.client);
        return ok(step.seats);
    }

    static std::string confirm_again(const State& state, const Step& step) {
        if (state.tickets.at(ticket_key(step)) != step.seats) {
            throw Refused("ticket_used");
        }
        return ok(step.seats);
    }

    static std::string wait(Venue& venue, const Step& step) {
        if (venue.is_waiting(step.client)) {
            throw Refused("already_waiting");
        }
        find(venue, step);
        if (venue.would_exceed(step.client, step.wished())) {
            throw Refused("over_limit");
        }
        if (!venue.available(step).empty()) {
            throw Refused("not_needed");
        }
        venue.waiting.push_back(step);
        return "ok " + std::to_string(venue.waiting.size());
    }

    // Ends the client's transaction; returns the names of the seats that this frees.
    static std::vector<std::string> end(State& state, Venue& venue, const std::string& client) {
        const Seats seats = venue.held_by(client);
        for (Seat* seat : seats) {
            seat->free();
        }
        venue.forget_wish(client);
        state.transactions.erase(client);
        return names_of(seats);
    }

    static Seats find(Venue& venue, const Step& step) {
        Seats seats;
        for (const std::string& name : step.seats) {
            Seat* seat = venue.find(name);
            if (seat == nullptr) {
                throw Refused("unknown_seat", name);
            }
            seats.push_back(seat);
        }
        return seats;
    }

    static Seats find_held(Venue& venue, const Step& step) {
        const Seats seats = find(venue, step);
        for (const Seat* seat : seats) {
            if (!seat->is_held_by(step.client)) {
                throw Refused("not_held", seat->name);
            }
        }
        return seats;
    }

    static TicketKey ticket_key(const Step& step) { return {step.client, step.ticket}; }
};
