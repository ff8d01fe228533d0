// Carries out steps.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "text.hpp"
#include "venue.hpp"

// Keeps the venues and which one each client is in; answers one line after the other.
class Desk {
public:
    Lines answer(const std::string& line) {
        const std::vector<std::string> fields = split_at_spaces(line);
        if (fields.size() < 3) {
            return {refused};
        }
        const std::vector<std::string> rest(fields.begin() + 3, fields.end());
        if (fields[0] == "venue") {
            return {open_venue(fields[1], rest)};
        }
        return {carry_out(fields[0], fields[2], rest)};
    }

private:
    inline static const std::string refused = "refused bad_step";

    std::map<std::string, Venue> venues_;
    std::map<std::string, std::string> venue_of_;

    std::string open_venue(const std::string& name, const std::vector<std::string>& rows) {
        Venue venue;
        for (const std::string& field : rows) {
            const std::size_t colon = field.find(':');
            if (colon != std::string::npos) {
                venue.add_row(field.substr(0, colon), number(field.substr(colon + 1)));
            }
        }
        venues_[name] = venue;
        return "ok " + std::to_string(venue.seats.size());
    }

    std::string carry_out(const std::string& operation, const std::string& client, const std::vector<std::string>& rest) {
        if (operation == "begin") {
            return begin(client, rest);
        }
        const auto found = venue_of_.find(client);
        if (found == venue_of_.end()) {
            return refused;
        }
        Venue& venue = venues_[found->second];
        const std::vector<std::string> after_first(rest.empty() ? rest.end() : rest.begin() + 1, rest.end());
        if (operation == "read") {
            return read(venue, rest);
        }
        if (operation == "hold") {
            return change(venue, after_first, Status::free, "", Status::held, client);
        }
        if (operation == "extend") {
            return change(venue, after_first, Status::held, client, Status::held, client);
        }
        if (operation == "release") {
            return change(venue, rest, Status::held, client, Status::free, "");
        }
        if (operation == "confirm") {
            return confirm(venue, client, after_first);
        }
        if (operation == "cancel") {
            const std::vector<std::string> freed = venue.free_all_of(client);
            venue_of_.erase(client);
            return ok(freed);
        }
        if (operation == "wait") {
            venue.waiting.push_back(client);
            return "ok " + std::to_string(venue.waiting.size());
        }
        return refused;
    }

    std::string begin(const std::string& client, const std::vector<std::string>& rest) {
        if (rest.empty() || venues_.count(rest[0]) == 0) {
            return refused;
        }
        venue_of_[client] = rest[0];
        return "ok";
    }

    std::string read(Venue& venue, const std::vector<std::string>& names) {
        std::vector<std::string> answers;
        for (const std::string& name : names) {
            const Seat* seat = venue.find(name);
            if (seat == nullptr) {
                return refused;
            }
            answers.push_back(name + "=" + word(seat->status) + "/" + std::to_string(seat->version));
        }
        return ok(answers);
    }

    std::string change(Venue& venue, const std::vector<std::string>& names, Status status, const std::string& owner,
                       Status new_status, const std::string& new_owner) {
        for (const std::string& name : names) {
            Seat* seat = venue.find(name);
            if (seat == nullptr || seat->status != status || seat->client != owner) {
                return refused;
            }
            if (new_status != status) {
                seat->change(new_status, new_owner);
            }
        }
        return ok(names);
    }

    std::string confirm(Venue& venue, const std::string& client, const std::vector<std::string>& names) {
        for (const std::string& name : names) {
            Seat* seat = venue.find(name);
            if (seat == nullptr || seat->status == Status::booked) {
                return refused;
            }
            seat->change(Status::booked, client);
        }
        venue.free_all_of(client);
        venue_of_.erase(client);
        return ok(names);
    }

    // The number that a field holds; 0 if it holds none.
    static int number(const std::string& text) {
        if (text.empty() || text.size() > 2 || text.find_first_not_of("0123456789") != std::string::npos) {
            return 0;
        }
        return std::stoi(text);
    }
};
