package invoicing;

import invoicing.Decimals.Decimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A command whose fields are all in their form and range: all as words, the numbers as numbers too. */
record Request(String command, Map<String, String> words, Map<String, Decimal> numbers) {
    static final String PERCENT = "percent";
    static final int FINEST = 3;
    private static final String AMOUNT = "amount";
    private static final int LONGEST_NAME = 12;

    /** Of a quantity and of a percentage, in thousandths. */
    private static final long MOST_QUANTITY = 999_999_999;

    private static final long MOST_PERCENT = 100_000;

    private static final Map<String, List<String>> COMMANDS = Map.of(
            "currency", List.of("code", "digits"),
            "open", List.of("doc", "code", "rounding"),
            "line", List.of("doc", "line", "quantity", "price", "rate"),
            "discount", List.of("doc", "line", "kind", "value"),
            "rebate", List.of("doc", "kind", "value"),
            "lines", List.of("doc"),
            "total", List.of("doc"));
    private static final List<String> NAMES = List.of("code", "doc", "line");
    private static final List<String> NUMBERS = List.of("quantity", "price", "rate", "value");

    /** Returns the request that a line is. */
    static Request parse(String line) throws Refused {
        String[] words = line.split(" ", -1);
        List<String> names = COMMANDS.get(words[0]);
        if (names == null) {
            throw new Refused("unknown_command");
        }
        if (words.length - 1 != names.size()) {
            throw new Refused("wrong_fields");
        }
        Map<String, String> fields = new HashMap<>();
        for (int place = 0; place < names.size(); place++) {
            fields.put(names.get(place), words[place + 1]);
        }
        if (!NAMES.stream().allMatch(name -> isName(fields.get(name)))) {
            throw new Refused("bad_name");
        }
        if (!fields.entrySet().stream().allMatch(field -> isKnown(field.getKey(), field.getValue()))) {
            throw new Refused("bad_word");
        }
        Map<String, Decimal> numbers = readNumbers(fields);
        if (!numbers.entrySet().stream().allMatch(number -> isAllowed(number.getKey(), number.getValue(), fields))) {
            throw new Refused("out_of_range");
        }
        return new Request(words[0], fields, numbers);
    }

    String word(String name) {
        return words.get(name);
    }

    Decimal number(String name) {
        return numbers.get(name);
    }

    private static boolean isName(String word) {
        if (word == null) {
            return true;
        }
        // code points, since length counts UTF-16 units
        int length = word.codePointCount(0, word.length());
        return 1 <= length && length <= LONGEST_NAME;
    }

    private static boolean isKnown(String name, String word) {
        return switch (name) {
            case "digits" -> List.of("0", "2", "3").contains(word);
            case "rounding" -> Rounding.named(word) != null;
            case "kind" -> List.of(PERCENT, AMOUNT).contains(word);
            default -> true;
        };
    }

    private static Map<String, Decimal> readNumbers(Map<String, String> fields) throws Refused {
        Map<String, Decimal> numbers = new HashMap<>();
        for (String name : NUMBERS) {
            if (!fields.containsKey(name)) {
                continue;
            }
            Decimal number = Decimals.parse(fields.get(name));
            if (number == null) {
                throw new Refused("bad_number");
            }
            numbers.put(name, number);
        }
        return numbers;
    }

    private static boolean isAllowed(String name, Decimal number, Map<String, String> fields) {
        if (name.equals("quantity")) {
            return number.places() <= FINEST
                    && number.digits() != 0
                    && Math.abs(number.scaled(FINEST)) <= MOST_QUANTITY;
        }
        if (name.equals("rate") || PERCENT.equals(fields.get("kind"))) {
            return number.places() <= FINEST && number.digits() >= 0 && number.scaled(FINEST) <= MOST_PERCENT;
        }
        return number.digits() >= 0;
    }
}
