import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/** Keeps zones and series; answers one command after the other. */
final class Planner {
    private static final Comparator<Series.Occurrence> LIST_ORDER =
            Comparator.comparingLong(Series.Occurrence::start)
                    .thenComparingLong(Series.Occurrence::end)
                    .thenComparing(occurrence -> occurrence.series().name)
                    .thenComparingLong(Series.Occurrence::original);

    private final Map<String, Long> offsets = new HashMap<>();
    private final Map<String, Series> series = new HashMap<>();

    /** Returns the answer lines to a command. */
    List<String> answer(String line) {
        List<String> all = List.of(line.split(" ", -1));
        List<String> words = all.subList(1, all.size());
        try {
            return switch (all.get(0)) {
                case "zone" -> zone(words);
                case "meeting" -> meeting(words);
                case "list" -> list(words);
                default -> throw new BadCommand();
            };
        } catch (BadCommand refusal) {
            return List.of("refused bad_command");
        }
    }

    private List<String> zone(List<String> words) throws BadCommand {
        BadCommand.expect(words.size() >= 2);
        String name = words.get(0);
        offsets.put(name, Fields.offset(words.get(1)));
        return List.of("zone " + name + " " + (words.size() - 2));
    }

    private List<String> meeting(List<String> words) throws BadCommand {
        BadCommand.expect(words.size() >= 8);
        String name = words.get(0);
        BadCommand.expect(offsets.containsKey(words.get(1)));
        long offset = offsets.get(words.get(1));
        long start = Fields.local(words.get(2));
        long minutes = Fields.number(words.get(3));
        int endsAt = words.size() - 2;
        Rule rule = readRule(words.subList(4, endsAt));
        List<Long> found = rule.originals(start, readEnd(words.get(endsAt), words.get(endsAt + 1)));
        BadCommand.expect(!found.isEmpty());
        series.put(name, new Series(name, offset, minutes, found));
        String first = Dates.minuteText(found.get(0));
        String last = Dates.minuteText(found.get(found.size() - 1));
        return List.of(String.join(" ", "meeting", name, Integer.toString(found.size()), first, last));
    }

    private List<String> list(List<String> words) throws BadCommand {
        BadCommand.expect(words.size() >= 2);
        long start = Fields.instant(words.get(0));
        long end = Fields.instant(words.get(1));
        List<Series> chosen = new ArrayList<>();
        for (String name : new LinkedHashSet<>(words.subList(2, words.size()))) {
            BadCommand.expect(series.containsKey(name));
            chosen.add(series.get(name));
        }
        List<Series.Occurrence> found = new ArrayList<>();
        for (Series searched : chosen.isEmpty() ? series.values() : chosen) {
            found.addAll(searched.overlapping(start, end));
        }
        found.sort(LIST_ORDER);
        List<String> lines = new ArrayList<>(List.of("list " + found.size()));
        found.forEach(occurrence -> lines.add(occurrenceLine(occurrence)));
        return lines;
    }

    private static Rule readRule(List<String> words) throws BadCommand {
        long interval = Fields.number(words.get(1));
        List<String> rest = words.subList(2, words.size());
        String shape = words.get(0) + (rest.size() > 1 ? " " + rest.get(0) : "") + " " + rest.size();
        return switch (shape) {
            case "daily 0" -> Rule.daily(interval);
            case "weekly 1" -> Rule.weekly(interval, Fields.weekdays(rest.get(0)));
            case "monthly day 2" -> Rule.monthlyDay(interval, Fields.number(rest.get(1)));
            default -> throw new BadCommand();
        };
    }

    private static Rule.End readEnd(String kind, String value) throws BadCommand {
        return switch (kind) {
            case "count" -> new Rule.End(Fields.number(value), Rule.LAST_DAY);
            case "until" -> new Rule.End(Long.MAX_VALUE, Fields.date(value));
            default -> throw new BadCommand();
        };
    }

    private static String occurrenceLine(Series.Occurrence occurrence) {
        long offset = occurrence.series().offset;
        return String.join(" ",
                Dates.instantText(occurrence.start()),
                Dates.instantText(occurrence.end()),
                occurrence.series().name,
                Dates.minuteText(occurrence.original()),
                Dates.minuteText(occurrence.start() + offset),
                Dates.minuteText(occurrence.end() + offset));
    }
}
