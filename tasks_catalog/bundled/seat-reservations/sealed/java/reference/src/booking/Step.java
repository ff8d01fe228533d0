package booking;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One line taken apart; the fields that its operation lacks are empty. */
final class Step {
    private static final Map<String, List<String>> LAYOUTS = Map.of(
            "venue", List.of("venue", "limit", "rows"),
            "begin", List.of("at", "client", "venue"),
            "read", List.of("at", "client", "seats"),
            "hold", List.of("at", "client", "until", "wish"),
            "extend", List.of("at", "client", "until", "seats"),
            "release", List.of("at", "client", "seats"),
            "confirm", List.of("at", "client", "ticket", "seats"),
            "cancel", List.of("at", "client"),
            "wait", List.of("at", "client", "lasting", "wish"));
    private static final Set<String> REPEATED = Set.of("rows", "seats", "wish");

    private static final int LONGEST_NAME = 12;
    private static final long LATEST = 1_000_000_000_000L;
    private static final long LARGEST_LIMIT = 99;

    private static final Pattern NUMBER = Pattern.compile("0|[1-9][0-9]{0,12}");
    private static final Pattern ROW = Pattern.compile("([A-Z]{1,2}):([1-9][0-9]?)");
    private static final Pattern SEAT = Pattern.compile("[A-Z]{1,2}[1-9][0-9]?");
    private static final Pattern TOGETHER = Pattern.compile("\\+([1-9][0-9]?)");

    record Row(String name, int count) {}

    final String operation;
    long at;
    String client = "";
    String venue = "";
    String ticket = "";
    int limit;
    long until;
    long lasting;
    final List<Row> rows = new ArrayList<>();
    final List<String> seats = new ArrayList<>();
    int together;

    private Step(String operation) {
        this.operation = operation;
    }

    /** The step of a well-formed line; throws Refused for any other. */
    static Step parse(String line) {
        if (line.isEmpty()) {
            throw new Refused("empty_line");
        }
        List<String> words = List.of(line.split(" ", -1));
        List<String> layout = LAYOUTS.get(words.get(0));
        if (layout == null) {
            throw new Refused("unknown_step");
        }
        List<String> fields = words.subList(1, words.size());
        int last = layout.size() - 1;
        int more = fields.size() - layout.size();
        if (more < 0 || (more > 0 && !REPEATED.contains(layout.get(last)))) {
            throw new Refused("wrong_fields");
        }
        Step step = new Step(words.get(0));
        for (int position = 0; position < fields.size(); position++) {
            String name = layout.get(Math.min(position, last));
            String text = fields.get(position);
            if (name.equals("wish") && (more > 0 || !text.startsWith("+"))) {
                name = "seats";
            }
            step.take(name, text);
        }
        refuseDuplicates(step.rows.stream().map(Row::name).toList());
        refuseDuplicates(step.seats);
        return step;
    }

    /** How many seats are asked for. */
    int wished() {
        return together > 0 ? together : seats.size();
    }

    private void take(String name, String text) {
        switch (name) {
            case "at" -> at = number(text, 0, LATEST);
            case "until" -> until = number(text, 0, LATEST);
            case "lasting" -> lasting = number(text, 1, LATEST);
            case "limit" -> limit = (int) number(text, 1, LARGEST_LIMIT);
            case "client" -> client = name(text);
            case "venue" -> venue = name(text);
            case "ticket" -> ticket = name(text);
            case "rows" -> {
                Matcher row = matched(ROW, text, "bad_row");
                rows.add(new Row(row.group(1), Integer.parseInt(row.group(2))));
            }
            case "seats" -> seats.add(matched(SEAT, text, "bad_seat").group());
            case "wish" -> together = Integer.parseInt(matched(TOGETHER, text, "bad_seat").group(1));
            default -> throw new IllegalArgumentException(name);
        }
    }

    private static long number(String text, long least, long most) {
        long number = Long.parseLong(matched(NUMBER, text, "bad_number").group());
        if (number < least || number > most) {
            throw new Refused("bad_number");
        }
        return number;
    }

    private static String name(String text) {
        int length = text.codePointCount(0, text.length());
        if (length < 1 || length > LONGEST_NAME) {
            throw new Refused("bad_name");
        }
        return text;
    }

    private static Matcher matched(Pattern pattern, String text, String kind) {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.matches()) {
            throw new Refused(kind);
        }
        return matcher;
    }

    private static void refuseDuplicates(List<String> names) {
        Set<String> seen = new HashSet<>();
        for (String name : names) {
            if (!seen.add(name)) {
                throw new Refused("duplicate", name);
            }
        }
    }
}
