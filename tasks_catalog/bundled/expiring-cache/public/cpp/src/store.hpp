// What is stored.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "text.hpp"

// `until` is the instant at which the entry has lived for its time to live.
struct Entry {
    std::string key;
    std::string value;
    long long version;
    long long ttl;
    long long until;
    std::vector<std::string> tags;

    long long size() const { return count_characters(key) + count_characters(value); }
    bool is_dead(long long at) const { return at > until; }
    bool has_tag(const std::string& tag) const { return std::find(tags.begin(), tags.end(), tag) != tags.end(); }
};

// Entries in the order in which they were stored.
class Store {
public:
    std::vector<Entry> entries;
    long long capacity = 0;

    // The entry of this key, or null.
    Entry* find(const std::string& key) {
        for (Entry& entry : entries) {
            if (entry.key == key) {
                return &entry;
            }
        }
        return nullptr;
    }

    long long used() const {
        long long bytes = 0;
        for (const Entry& entry : entries) {
            bytes += entry.size();
        }
        return bytes;
    }

    void remove(const std::string& key) {
        const auto is_it = [&](const Entry& entry) { return entry.key == key; };
        entries.erase(std::remove_if(entries.begin(), entries.end(), is_it), entries.end());
    }

    // Stores an entry; returns the keys of those that had to go.
    std::vector<std::string> put(const Entry& entry) {
        remove(entry.key);
        std::vector<std::string> evicted;
        while (!entries.empty() && used() + entry.size() > capacity) {
            evicted.push_back(entries.front().key);
            entries.erase(entries.begin());
        }
        entries.push_back(entry);
        return evicted;
    }
};
