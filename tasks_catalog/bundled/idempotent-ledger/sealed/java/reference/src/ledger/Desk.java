package ledger;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Answers one command line after the other: the clock, the keys, and the words of the answers. */
public final class Desk {
    private final Book book = new Book();
    private final Keys keys = new Keys();
    private long clock;

    /** Returns the lines of the answer. */
    public List<String> answer(String line) {
        try {
            Request request = Request.parse(line);
            return request.isKeyed() ? List.of(keyed(request)) : plain(request);
        } catch (Refused refusal) {
            return List.of("refused " + refusal.reason());
        }
    }

    private String keyed(Request request) throws Refused {
        long at = request.numbers().get("at");
        String client = request.names().get("client");
        String key = request.names().get("key");
        if (at < clock) {
            throw new Refused("time_backwards");
        }
        String answer = keys.recall(client, key, at, request.content());
        if (answer == null) {
            answer = carryOut(request, at);
            keys.remember(client, key, at, request.content(), answer);
        }
        // only now: nothing above has been refused
        clock = at;
        return answer;
    }

    private String carryOut(Request request, long at) throws Refused {
        try {
            return "ok " + apply(request, at);
        } catch (Declined declined) {
            return "declined " + declined.reason();
        }
    }

    private String apply(Request request, long at) throws Refused, Declined {
        Map<String, String> names = request.names();
        Map<String, Long> numbers = request.numbers();
        return switch (request.command()) {
            case "post" -> book.post(at, request.postings());
            case "hold" -> book.hold(at, names.get("account"), numbers.get("amount"), numbers.get("until"));
            case "capture" -> book.capture(at, names.get("hold"), names.get("payee"), numbers.get("amount"));
            case "release" -> book.release(at, names.get("hold"));
            default -> book.reverse(at, names.get("transaction"));
        };
    }

    private List<String> plain(Request request) throws Refused {
        String name = request.names().get("account");
        Map<String, Long> numbers = request.numbers();
        switch (request.command()) {
            case "account":
                book.open(name, request.names().get("currency"), numbers.get("overdraft"));
                return List.of("ok");
            case "balance":
                return List.of(balance(book.account(name), numbers.get("at")));
            default:
                return statement(book.account(name), numbers.get("start"), numbers.get("end"));
        }
    }

    private static String balance(Account account, long at) {
        long balance = account.balanceAt(at);
        long held = account.heldAt(at);
        return "balance " + balance + " held " + held + " available " + (balance - held + account.overdraft);
    }

    private static List<String> statement(Account account, long start, long end) {
        long opening = account.balanceAt(start - 1);
        long closing = opening;
        List<String> answer = new ArrayList<>();
        for (Account.Entry entry : account.entries) {
            if (start <= entry.at() && entry.at() < end) {
                closing = entry.balance();
                answer.add("entry " + entry.at() + " " + entry.transaction() + " " + entry.other() + " "
                        + entry.amount() + " " + entry.balance());
            }
        }
        answer.add(0, "statement " + answer.size() + " opening " + opening + " closing " + closing);
        return answer;
    }
}
