package ledger;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A command whose fields are all in their form and range, its fields by name, and the postings of a
 * post. The content is what a repeat has in common with the first command.
 */
record Request(
        String command, Map<String, String> names, Map<String, Long> numbers, List<Posting> postings, String content) {
    static final long LARGEST = 999_999_999_999_999L;
    private static final long LATEST = 999_999_999_999L;
    private static final int LONGEST_NAME = 20;
    private static final int LONGEST_NUMBER = 15;
    // [0-9], since \d may take the digits of every script
    private static final Pattern NUMBER = Pattern.compile("0|[1-9][0-9]*");

    record Posting(String payer, String payee, long amount) {
        Posting opposite() {
            return new Posting(payee, payer, amount);
        }
    }

    /** A field is a name unless it has a largest value. */
    private record Field(String name, long smallest, long largest) {
        boolean isName() {
            return largest == 0;
        }
    }

    private static final List<Field> POSTING = List.of(name("payer"), name("payee"), amount());
    private static final List<Field> KEYED = List.of(instant("at"), name("client"), name("key"));
    private static final Map<String, List<Field>> COMMANDS = Map.of(
            "account", List.of(name("account"), name("currency"), new Field("overdraft", 0, LARGEST)),
            "post", KEYED,
            "hold", joined(KEYED, List.of(name("account"), amount(), instant("until"))),
            "capture", joined(KEYED, List.of(name("hold"), name("payee"), amount())),
            "release", joined(KEYED, List.of(name("hold"))),
            "reverse", joined(KEYED, List.of(name("transaction"))),
            "balance", List.of(instant("at"), name("account")),
            "statement", List.of(instant("start"), instant("end"), name("account")));

    /** Returns the request that a line is. */
    static Request parse(String line) throws Refused {
        String[] all = line.split(" ", -1);
        List<Field> fields = COMMANDS.get(all[0]);
        if (fields == null) {
            throw new Refused("unknown_command");
        }
        List<String> words = Arrays.asList(all).subList(1, all.length);
        boolean isPost = all[0].equals("post");
        List<Field> allFields = isPost ? withPostings(fields, words.size()) : fields;
        if (words.size() != allFields.size() || isPost && allFields.size() == fields.size()) {
            throw new Refused("wrong_fields");
        }
        check(allFields, words);
        Map<String, String> names = new HashMap<>();
        Map<String, Long> numbers = new HashMap<>();
        for (int i = 0; i < fields.size(); i++) {
            Field field = fields.get(i);
            if (field.isName()) {
                names.put(field.name(), words.get(i));
            } else {
                numbers.put(field.name(), Long.parseLong(words.get(i)));
            }
        }
        List<Posting> postings = new ArrayList<>();
        for (int i = fields.size(); i < words.size(); i += POSTING.size()) {
            postings.add(new Posting(words.get(i), words.get(i + 1), Long.parseLong(words.get(i + 2))));
        }
        if (all[0].equals("statement") && numbers.get("start") > numbers.get("end")) {
            throw new Refused("out_of_range");
        }
        String content = all[0] + " " + String.join(" ", words.subList(1, words.size()));
        return new Request(all[0], names, numbers, postings, content);
    }

    boolean isKeyed() {
        return names.containsKey("key");
    }

    private static Field name(String name) {
        return new Field(name, 0, 0);
    }

    private static Field instant(String name) {
        return new Field(name, 0, LATEST);
    }

    private static Field amount() {
        return new Field("amount", 1, LARGEST);
    }

    private static List<Field> joined(List<Field> first, List<Field> second) {
        List<Field> all = new ArrayList<>(first);
        all.addAll(second);
        return all;
    }

    private static List<Field> withPostings(List<Field> fields, int words) {
        List<Field> all = new ArrayList<>(fields);
        while (all.size() + POSTING.size() <= words) {
            all.addAll(POSTING);
        }
        return all;
    }

    private static void check(List<Field> fields, List<String> words) throws Refused {
        for (int i = 0; i < words.size(); i++) {
            if (fields.get(i).isName() && !isName(words.get(i))) {
                throw new Refused("bad_name");
            }
        }
        for (int i = 0; i < words.size(); i++) {
            if (!fields.get(i).isName() && !NUMBER.matcher(words.get(i)).matches()) {
                throw new Refused("bad_number");
            }
        }
        for (int i = 0; i < words.size(); i++) {
            if (!fields.get(i).isName() && !isWithin(words.get(i), fields.get(i))) {
                throw new Refused("out_of_range");
            }
        }
    }

    private static boolean isName(String word) {
        // code points, since length counts UTF-16 units
        int length = word.codePointCount(0, word.length());
        return 1 <= length && length <= LONGEST_NAME;
    }

    private static boolean isWithin(String word, Field field) {
        if (word.length() > LONGEST_NUMBER) {
            return false;
        }
        long value = Long.parseLong(word);
        return field.smallest() <= value && value <= field.largest();
    }
}
