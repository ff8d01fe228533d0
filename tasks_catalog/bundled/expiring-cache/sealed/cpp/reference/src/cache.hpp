// Carries out commands.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "command.hpp"
#include "loads.hpp"
#include "refusal.hpp"
#include "store.hpp"
#include "text.hpp"

// Answers one line after the other.
//
// Each operation first throws all its refusals, and only then begins to change anything.
class Cache {
public:
    // The lines of removals and the answer line of a command.
    Lines answer(const std::string& line) {
        removals_.clear();
        try {
            const std::string answer = carry_out(parse(line));
            removals_.push_back(answer);
            return removals_;
        } catch (const Refused& refusal) {
            return {refusal.answer};
        }
    }

private:
    bool is_open_ = false;
    Store store_;
    long long longest_ = 0;
    long long clock_ = 0;
    long long version_ = 0;
    Loads loads_;
    std::map<std::string, long long> counts_;
    Lines removals_;

    std::string carry_out(const Command& command) {
        if (command.name == "cache") {
            return open(command);
        }
        if (!is_open_) {
            throw Refused("not_open");
        }
        if (count_characters(command.key) > longest_) {
            throw Refused("key_too_long");
        }
        if (count_characters(command.value) > longest_) {
            throw Refused("value_too_long");
        }
        if (command.at < clock_) {
            throw Refused("time_backwards");
        }
        const std::string answer = operate(command);
        clock_ = command.at;
        return answer;
    }

    std::string operate(const Command& command) {
        using Operation = std::string (Cache::*)(const Command&);
        static const std::map<std::string, Operation> operations = {
            {"set", &Cache::set},
            {"absent", &Cache::absent},
            {"cas", &Cache::cas},
            {"get", &Cache::get},
            {"touch", &Cache::touch},
            {"delete", &Cache::erase},
            {"invalidate", &Cache::invalidate},
            {"load", &Cache::load},
            {"loaded", &Cache::loaded},
            {"failed", &Cache::failed},
            {"resize", &Cache::resize},
            {"stats", &Cache::stats},
        };
        return (this->*operations.at(command.name))(command);
    }

    std::string open(const Command& command) {
        if (is_open_) {
            throw Refused("already_open");
        }
        is_open_ = true;
        store_.capacity = command.bytes;
        longest_ = command.chars;
        return "ok";
    }

    std::string set(const Command& command) {
        refuse_too_large(command);
        return write(command, false);
    }

    std::string absent(const Command& command) {
        refuse_too_large(command);
        return write(command, true);
    }

    std::string cas(const Command& command) {
        const Entry* entry = store_.live(command.key, command.at);
        const long long version = entry == nullptr ? 0 : entry->version;
        if (version != command.version) {
            throw Refused("wrong_version", std::to_string(version));
        }
        return set(command);
    }

    std::string get(const Command& command) {
        bury(command);
        const std::string refresh = loads_.under_way(command.key, command.at) == nullptr ? "yes" : "no";
        Entry* entry = store_.live(command.key, command.at);
        if (entry == nullptr) {
            counts_["misses"] += 1;
            return "miss " + refresh;
        }
        entry->last_use = command.at;
        if (!entry->is_fresh(command.at)) {
            counts_["stale"] += 1;
            return "stale " + std::to_string(entry->version) + " " + refresh + " " + entry->value;
        }
        if (entry->slides) {
            entry->renew(command.at);
        }
        if (entry->is_absent) {
            counts_["absent"] += 1;
            return "absent " + std::to_string(entry->version);
        }
        counts_["hits"] += 1;
        return "hit " + std::to_string(entry->version) + " " + entry->value;
    }

    std::string touch(const Command& command) {
        Entry& entry = find(command);
        if (!entry.is_fresh(command.at)) {
            throw Refused("not_fresh");
        }
        entry.renew(command.at);
        entry.last_use = command.at;
        return "ok " + std::to_string(entry.fresh_until);
    }

    std::string erase(const Command& command) {
        find(command);
        store_.entries.erase(command.key);
        loads_.overtake(command.key);
        return "ok";
    }

    std::string invalidate(const Command& command) {
        const std::string& tag = command.tags.front();
        std::vector<std::string> keys;
        for (const auto& [key, entry] : store_.entries) {
            if (entry.has_tag(tag) && entry.is_live(command.at)) {
                keys.push_back(key);
            }
        }
        for (const std::string& key : keys) {
            remove(key, "invalidated");
            loads_.overtake(key);
        }
        loads_.invalidate(tag);
        return "ok " + std::to_string(keys.size());
    }

    std::string load(const Command& command) {
        const Entry* entry = store_.live(command.key, command.at);
        if (entry != nullptr && entry->is_fresh(command.at)) {
            throw Refused("fresh");
        }
        const Load* load = loads_.under_way(command.key, command.at);
        if (load != nullptr) {
            throw Refused("in_flight", std::to_string(load->ticket));
        }
        bury(command);
        return "ok " + std::to_string(loads_.begin(command.key, command.at + command.lease));
    }

    std::string loaded(const Command& command) {
        const bool superseded = find_load(command).is_superseded(command.tags);
        refuse_too_large(command);
        loads_.end(command.key);
        if (superseded) {
            bury(command);
            return "ok superseded";
        }
        return write(command, false);
    }

    std::string failed(const Command& command) {
        find_load(command);
        bury(command);
        loads_.end(command.key);
        return "ok";
    }

    std::string resize(const Command& command) {
        store_.capacity = command.bytes;
        make_room(0, command.at);
        return "ok " + std::to_string(store_.used());
    }

    std::string stats(const Command& command) {
        std::string line = "ok entries=" + std::to_string(store_.entries.size());
        line += " bytes=" + std::to_string(store_.used());
        for (const char* name : {"hits", "stale", "absent", "misses", "expired", "evicted", "invalidated"}) {
            line += std::string(" ") + name + "=" + std::to_string(counts_[name]);
        }
        return line + " loading=" + std::to_string(loads_.count(command.at));
    }

    Entry& find(const Command& command) {
        Entry* entry = store_.live(command.key, command.at);
        if (entry == nullptr) {
            throw Refused("not_found");
        }
        return *entry;
    }

    const Load& find_load(const Command& command) const {
        const Load* load = loads_.under_way(command.key, command.at);
        if (load == nullptr || load->ticket != command.ticket) {
            throw Refused("unknown_load");
        }
        return *load;
    }

    void refuse_too_large(const Command& command) const {
        if (size_of(command.key, command.value) > store_.capacity) {
            throw Refused("too_large");
        }
    }

    std::string write(const Command& command, bool is_absent) {
        bury(command);
        store_.entries.erase(command.key);
        make_room(size_of(command.key, command.value), command.at);
        version_ += 1;
        store_.entries.emplace(command.key, Entry(command, is_absent, version_));
        loads_.overtake(command.key);
        return "ok " + std::to_string(version_);
    }

    // Removes entries until `size` more bytes fit.
    void make_room(long long size, long long at) {
        while (store_.used() + size > store_.capacity) {
            const Entry& victim = store_.first_to_go(at);
            const std::string cause = victim.is_live(at) ? "evicted" : "expired";
            remove(std::string(victim.key), cause);
        }
    }

    // Removes the entry of the command's key if it is dead.
    void bury(const Command& command) {
        const auto found = store_.entries.find(command.key);
        if (found != store_.entries.end() && !found->second.is_live(command.at)) {
            remove(command.key, "expired");
        }
    }

    void remove(const std::string& key, const std::string& cause) {
        store_.entries.erase(key);
        counts_[cause] += 1;
        removals_.push_back("removed " + key + " " + cause);
    }
};
