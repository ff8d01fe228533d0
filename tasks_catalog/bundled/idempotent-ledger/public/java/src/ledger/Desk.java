package ledger;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Keeps the book and the answers to keys; answers one command line after the other. */
public final class Desk {
    private static final List<String> REFUSED = List.of("refused bad_command");
    private static final Map<String, Integer> LENGTHS = Map.of(
            "account", 4, "hold", 7, "capture", 7, "release", 5, "reverse", 5, "balance", 3, "statement", 4);

    private final Book book = new Book();
    private final Map<String, List<String>> answers = new HashMap<>();

    /** Returns the lines of the answer. */
    public List<String> answer(String line) {
        String[] words = line.split(" ", -1);
        if (words[0].equals("post")) {
            if (words.length < 7 || words.length % 3 != 1) {
                return REFUSED;
            }
        } else if (LENGTHS.getOrDefault(words[0], 0) != words.length) {
            return REFUSED;
        }
        switch (words[0]) {
            case "account":
                return account(words[1], words[3]);
            case "balance":
                return balance(words[2]);
            case "statement":
                return statement(words[1], words[2], words[3]);
            default:
        }
        String key = words[3];
        if (!answers.containsKey(key)) {
            answers.put(key, carryOut(words[0], words[1], Arrays.copyOfRange(words, 4, words.length)));
        }
        return answers.get(key);
    }

    private List<String> account(String name, String overdraft) {
        if (!isNumber(overdraft)) {
            return REFUSED;
        }
        book.open(name, Long.parseLong(overdraft));
        return List.of("ok");
    }

    private List<String> balance(String name) {
        Account account = book.accounts.get(name);
        if (account == null) {
            return REFUSED;
        }
        return List.of("balance " + account.balance + " held " + account.held + " available " + account.available());
    }

    private List<String> statement(String start, String end, String name) {
        Account account = book.accounts.get(name);
        if (account == null || !isNumber(start) || !isNumber(end)) {
            return REFUSED;
        }
        List<String> answer = new ArrayList<>();
        for (Account.Entry entry : account.entries) {
            if (Long.parseLong(start) <= entry.at() && entry.at() <= Long.parseLong(end)) {
                answer.add("entry " + entry.at() + " " + entry.transaction() + " " + entry.other() + " "
                        + entry.amount() + " " + entry.balance());
            }
        }
        answer.add(0, "statement " + answer.size() + " opening 0 closing " + account.balance);
        return answer;
    }

    private List<String> carryOut(String command, String instant, String[] words) {
        if (!isNumber(instant)) {
            return REFUSED;
        }
        long at = Long.parseLong(instant);
        switch (command) {
            case "post":
                return post(at, words);
            case "hold":
                return hold(words[0], words[1]);
            case "capture":
                return capture(at, words[0], words[1], words[2]);
            case "release":
                return book.hasHold(words[0]) ? answered(book.release(words[0])) : REFUSED;
            default:
                return book.hasTransaction(words[0]) ? answered(book.reverse(at, words[0])) : REFUSED;
        }
    }

    private List<String> post(long at, String[] words) {
        List<Book.Posting> postings = new ArrayList<>();
        for (int i = 0; i < words.length; i += 3) {
            if (!has(words[i]) || !has(words[i + 1]) || !isNumber(words[i + 2])) {
                return REFUSED;
            }
            postings.add(new Book.Posting(words[i], words[i + 1], Long.parseLong(words[i + 2])));
        }
        return answered(book.post(at, postings));
    }

    private List<String> hold(String name, String amount) {
        if (!has(name) || !isNumber(amount)) {
            return REFUSED;
        }
        return answered(book.hold(name, Long.parseLong(amount)));
    }

    private List<String> capture(long at, String hold, String payee, String amount) {
        if (!book.hasHold(hold) || !has(payee) || !isNumber(amount)) {
            return REFUSED;
        }
        return answered(book.capture(at, hold, payee, Long.parseLong(amount)));
    }

    private boolean has(String name) {
        return book.accounts.containsKey(name);
    }

    private static List<String> answered(String name) {
        return List.of(name == null ? "declined insufficient_funds" : "ok " + name);
    }

    private static boolean isNumber(String word) {
        return word.matches("[0-9]{1,15}");
    }
}
