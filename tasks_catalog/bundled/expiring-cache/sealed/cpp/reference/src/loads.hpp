// The loads under way.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

// `invalidated` holds the tags that were invalidated since the load began.
struct Load {
    long long ticket;
    long long until;
    bool overtaken = false;
    std::set<std::string> invalidated = {};

    bool is_superseded(const std::vector<std::string>& tags) const {
        const auto is_invalidated = [&](const std::string& tag) { return invalidated.count(tag) > 0; };
        return overtaken || std::any_of(tags.begin(), tags.end(), is_invalidated);
    }
};

// At most one load of a key is under way at a time.
class Loads {
public:
    // The load of this key whose lease has not ended, or null.
    const Load* under_way(const std::string& key, long long at) const {
        const auto found = by_key_.find(key);
        return found != by_key_.end() && at < found->second.until ? &found->second : nullptr;
    }

    // Begins a load; returns its ticket.
    long long begin(const std::string& key, long long until) {
        last_ticket_ += 1;
        by_key_[key] = Load{last_ticket_, until};
        return last_ticket_;
    }

    void end(const std::string& key) { by_key_.erase(key); }

    // Something newer than what the load of this key will bring has happened to the key.
    void overtake(const std::string& key) {
        const auto found = by_key_.find(key);
        if (found != by_key_.end()) {
            found->second.overtaken = true;
        }
    }

    void invalidate(const std::string& tag) {
        for (auto& [key, load] : by_key_) {
            load.invalidated.insert(tag);
        }
    }

    long long count(long long at) const {
        return std::count_if(by_key_.begin(), by_key_.end(), [&](const auto& each) { return at < each.second.until; });
    }

private:
    long long last_ticket_ = 0;
    std::map<std::string, Load> by_key_;
};
