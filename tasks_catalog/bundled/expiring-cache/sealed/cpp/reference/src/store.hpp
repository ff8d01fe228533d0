// What is stored, and what goes when room is needed.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "command.hpp"

// The bytes that an entry uses; a std::string holds UTF-8.
inline long long size_of(const std::string& key, const std::string& value) {
    return static_cast<long long>(key.size() + value.size());
}

// An entry that `is_absent` says that there is no such thing, and has an empty value.
struct Entry {
    std::string key;
    std::string value;
    bool is_absent;
    long long version;
    bool slides;
    long long ttl;
    long long stale;
    std::vector<std::string> tags;
    long long fresh_until;
    long long last_use;

    Entry(const Command& command, bool absent, long long new_version)
        : key(command.key),
          value(command.value),
          is_absent(absent),
          version(new_version),
          slides(command.slides),
          ttl(command.ttl),
          stale(command.stale),
          tags(command.tags),
          fresh_until(command.at + command.ttl),
          last_use(command.at) {}

    long long size() const { return size_of(key, value); }
    long long dead_from() const { return fresh_until + stale; }
    bool is_fresh(long long at) const { return at < fresh_until; }
    bool is_live(long long at) const { return at < dead_from(); }
    bool has_tag(const std::string& tag) const { return std::find(tags.begin(), tags.end(), tag) != tags.end(); }

    void renew(long long at) { fresh_until = at + ttl; }
};

// Entries by key, which a map keeps in the order of their bytes; UTF-8 has the same order as the code points.
// Dead entries stay until they are removed.
class Store {
public:
    std::map<std::string, Entry> entries;
    long long capacity = 0;

    long long used() const {
        long long bytes = 0;
        for (const auto& [key, entry] : entries) {
            bytes += entry.size();
        }
        return bytes;
    }

    // The live entry of this key, or null.
    Entry* live(const std::string& key, long long at) {
        const auto found = entries.find(key);
        return found != entries.end() && found->second.is_live(at) ? &found->second : nullptr;
    }

    // The entry that goes next when room is needed.
    const Entry& first_to_go(long long at) const {
        const auto goes_before = [&](const auto& a, const auto& b) { return turn(a.second, at) < turn(b.second, at); };
        return std::min_element(entries.begin(), entries.end(), goes_before)->second;
    }

private:
    // The smaller, the sooner an entry goes; of equal ones the first in the map goes first.
    static std::tuple<bool, long long, long long> turn(const Entry& entry, long long at) {
        if (!entry.is_live(at)) {
            return {false, entry.dead_from(), 0};
        }
        return {true, entry.last_use, -entry.size()};
    }
};
