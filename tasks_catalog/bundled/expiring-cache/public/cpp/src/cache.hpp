// Carries out commands.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "store.hpp"
#include "text.hpp"

// Answers one line after the other.
class Cache {
public:
    // The lines of removals and the answer line of a command.
    Lines answer(const std::string& line) {
        const bool is_set = line.compare(0, 4, "set ") == 0;
        const std::vector<std::string> fields = is_set ? split(line, ' ', 1 + fields_of_set) : split(line, ' ');
        const std::string& name = fields[0];
        if (is_set && fields.size() == 1 + fields_of_set) {
            return set(number(fields[1]), fields[2], number(fields[4]), split(fields[6], ','), fields[7]);
        }
        if (name == "stats" && fields.size() == 2) {
            return {stats()};
        }
        if (fields.size() != 3) {
            return {refused};
        }
        const long long first = number(fields[1]);
        if (name == "cache") {
            store_ = Store();
            store_.capacity = first;
            return {"ok"};
        }
        if (name == "get") {
            return get(first, fields[2]);
        }
        if (name == "touch") {
            return touch(first, fields[2]);
        }
        if (name == "delete") {
            return erase(first, fields[2]);
        }
        if (name == "invalidate") {
            return invalidate(first, fields[2]);
        }
        if (name == "resize") {
            store_.capacity = number(fields[2]);
            return {"ok " + std::to_string(store_.used())};
        }
        return {refused};
    }

private:
    inline static const std::string refused = "refused bad_command";
    static constexpr std::size_t fields_of_set = 7;

    Store store_;
    long long version_ = 0;
    std::map<std::string, long long> counts_;

    Lines set(long long at, const std::string& key, long long ttl, const std::vector<std::string>& tags,
              const std::string& value) {
        version_ += 1;
        Lines lines = bury(at, key);
        for (const std::string& evicted : store_.put({key, value, version_, ttl, at + ttl, tags})) {
            lines.push_back(removed(evicted, "evicted"));
        }
        lines.push_back("ok " + std::to_string(version_));
        return lines;
    }

    Lines get(long long at, const std::string& key) {
        Lines lines = bury(at, key);
        const Entry* entry = store_.find(key);
        if (entry == nullptr) {
            counts_["misses"] += 1;
            lines.push_back("miss yes");
        } else {
            counts_["hits"] += 1;
            lines.push_back("hit " + std::to_string(entry->version) + " " + entry->value);
        }
        return lines;
    }

    Lines touch(long long at, const std::string& key) {
        Entry* entry = store_.find(key);
        if (entry == nullptr || entry->is_dead(at)) {
            return {refused};
        }
        entry->until = at + entry->ttl;
        return {"ok " + std::to_string(entry->until)};
    }

    Lines erase(long long at, const std::string& key) {
        const Entry* entry = store_.find(key);
        if (entry == nullptr || entry->is_dead(at)) {
            return {refused};
        }
        store_.remove(key);
        return {"ok"};
    }

    Lines invalidate(long long at, const std::string& tag) {
        std::vector<std::string> keys;
        for (const Entry& entry : store_.entries) {
            if (entry.has_tag(tag) && !entry.is_dead(at)) {
                keys.push_back(entry.key);
            }
        }
        std::sort(keys.begin(), keys.end());
        Lines lines;
        for (const std::string& key : keys) {
            store_.remove(key);
            lines.push_back(removed(key, "invalidated"));
        }
        lines.push_back("ok " + std::to_string(keys.size()));
        return lines;
    }

    std::string stats() {
        return "ok entries=" + std::to_string(store_.entries.size()) + " bytes=" + std::to_string(store_.used()) +
               " hits=" + counted("hits") + " stale=0 absent=0 misses=" + counted("misses") +
               " expired=" + counted("expired") + " evicted=" + counted("evicted") +
               " invalidated=" + counted("invalidated") + " loading=0";
    }

    Lines bury(long long at, const std::string& key) {
        const Entry* entry = store_.find(key);
        if (entry == nullptr || !entry->is_dead(at)) {
            return {};
        }
        store_.remove(key);
        return {removed(key, "expired")};
    }

    std::string removed(const std::string& key, const std::string& cause) {
        counts_[cause] += 1;
        return "removed " + key + " " + cause;
    }

    std::string counted(const std::string& name) { return std::to_string(counts_[name]); }

    // The number that a field holds; 0 if it holds none.
    static long long number(const std::string& text) {
        if (text.empty() || text.size() > 13 || text.find_first_not_of("0123456789") != std::string::npos) {
            return 0;
        }
        return std::stoll(text);
    }
};
