import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/** Keeps zones and series; answers one command after the other. */
final class Planner {
    private static final int MOST_MINUTES = 10080;
    private static final int MOST_INTERVAL = 1000;
    private static final int MOST_OCCURRENCES = 10000;
    private static final long TRANSITION_GAP = 48 * 60;
    private static final Comparator<Series.Occurrence> LIST_ORDER =
            Comparator.comparingLong(Series.Occurrence::start)
                    .thenComparingLong(Series.Occurrence::end)
                    .thenComparing(occurrence -> occurrence.series().name)
                    .thenComparingLong(Series.Occurrence::original);

    private final Map<String, Zone> zones = new HashMap<>();
    private final Map<String, Series> series = new HashMap<>();

    /** Returns the answer lines to a command. */
    List<String> answer(String line) {
        List<String> all = List.of(line.split(" ", -1));
        List<String> words = all.subList(1, all.size());
        try {
            return switch (all.get(0)) {
                case "zone" -> zone(words);
                case "meeting" -> meeting(words);
                case "skip" -> skip(words);
                case "move" -> move(words);
                case "restore" -> restore(words);
                case "list" -> list(words);
                case "conflicts" -> conflicts(words);
                default -> throw new Refused("unknown_command");
            };
        } catch (Refused refusal) {
            return List.of("refused " + refusal.kind);
        }
    }

    private List<String> zone(List<String> words) throws Refused {
        expect(words.size() >= 2);
        Fields fields = new Fields();
        String name = fields.name(words.get(0));
        long offset = fields.offset(words.get(1));
        List<Zone.Transition> transitions = new ArrayList<>();
        for (String word : words.subList(2, words.size())) {
            transitions.add(fields.transition(word));
        }
        fields.settle();
        for (int i = 1; i < transitions.size(); i++) {
            if (transitions.get(i).at() < transitions.get(i - 1).at() + TRANSITION_GAP) {
                throw new Refused("transition_order");
            }
        }
        if (zones.containsKey(name)) {
            throw new Refused("zone_exists");
        }
        zones.put(name, new Zone(offset, transitions));
        return List.of("zone " + name + " " + transitions.size());
    }

    private List<String> meeting(List<String> words) throws Refused {
        expect(words.size() >= 8);
        Fields fields = new Fields();
        String name = fields.name(words.get(0));
        String zone = fields.name(words.get(1));
        long start = fields.local(words.get(2));
        long minutes = fields.number(words.get(3), MOST_MINUTES);
        int endsAt = words.size() - 2;
        Rule rule = readRule(fields, words.subList(4, endsAt));
        Rule.End end = readEnd(fields, words.get(endsAt), words.get(endsAt + 1));
        fields.settle();
        if (series.containsKey(name)) {
            throw new Refused("series_exists");
        }
        if (!zones.containsKey(zone)) {
            throw new Refused("unknown_zone");
        }
        List<Long> found = rule.originals(start, end);
        if (found.isEmpty()) {
            throw new Refused("no_occurrence");
        }
        series.put(name, new Series(name, zones.get(zone), minutes, found));
        String first = Dates.minuteText(found.get(0));
        String last = Dates.minuteText(found.get(found.size() - 1));
        return List.of(String.join(" ", "meeting", name, Integer.toString(found.size()), first, last));
    }

    private List<String> skip(List<String> words) throws Refused {
        expect(words.size() == 2);
        Fields fields = new Fields();
        String name = fields.name(words.get(0));
        long original = fields.local(words.get(1));
        fields.settle();
        known(name).skip(original);
        return List.of("skipped " + name + " " + words.get(1));
    }

    private List<String> move(List<String> words) throws Refused {
        expect(words.size() == 3 || words.size() == 4);
        Fields fields = new Fields();
        String name = fields.name(words.get(0));
        long original = fields.local(words.get(1));
        long local = fields.local(words.get(2));
        Long minutes = words.size() == 4 ? fields.number(words.get(3), MOST_MINUTES) : null;
        fields.settle();
        Series changed = known(name);
        changed.move(original, local, minutes);
        String start = Dates.instantText(changed.occurrence(original).start());
        return List.of(String.join(" ", "moved", name, words.get(1), start));
    }

    private List<String> restore(List<String> words) throws Refused {
        expect(words.size() == 2);
        Fields fields = new Fields();
        String name = fields.name(words.get(0));
        long original = fields.local(words.get(1));
        fields.settle();
        Series changed = known(name);
        changed.restore(original);
        String start = Dates.instantText(changed.occurrence(original).start());
        return List.of(String.join(" ", "restored", name, words.get(1), start));
    }

    private List<String> list(List<String> words) throws Refused {
        expect(words.size() >= 2);
        Fields fields = new Fields();
        long start = fields.instant(words.get(0));
        long end = fields.instant(words.get(1));
        List<String> names = words.subList(2, words.size());
        names.forEach(fields::name);
        fields.settle();
        checkWindow(start, end);
        List<Series> chosen = new ArrayList<>();
        for (String name : new LinkedHashSet<>(names)) {
            chosen.add(known(name));
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

    private List<String> conflicts(List<String> words) throws Refused {
        expect(words.size() == 4);
        Fields fields = new Fields();
        String one = fields.name(words.get(0));
        String other = fields.name(words.get(1));
        long start = fields.instant(words.get(2));
        long end = fields.instant(words.get(3));
        fields.settle();
        checkWindow(start, end);
        Series first = known(one);
        Series second = known(other);
        if (first == second) {
            throw new Refused("same_series");
        }
        List<Clash> found = Clash.between(first, second, start, end);
        List<String> lines = new ArrayList<>(List.of("conflicts " + found.size()));
        found.forEach(clash -> lines.add(clashLine(clash)));
        return lines;
    }

    private Series known(String name) throws Refused {
        Series found = series.get(name);
        if (found == null) {
            throw new Refused("unknown_series");
        }
        return found;
    }

    private static Rule readRule(Fields fields, List<String> words) throws Refused {
        long interval = fields.number(words.get(1), MOST_INTERVAL);
        List<String> rest = words.subList(2, words.size());
        String shape = words.get(0) + (rest.size() > 1 ? " " + rest.get(0) : "") + " " + rest.size();
        switch (shape) {
            case "daily 0":
                return Rule.daily(interval);
            case "weekly 1":
                return Rule.weekly(interval, fields.weekdays(rest.get(0)));
            case "monthly day 2":
                return Rule.monthlyDay(interval, fields.number(rest.get(1), 31));
            case "monthly nth 3":
                boolean last = rest.get(1).equals("last");
                long ordinal = last ? Rule.LAST_OF_MONTH : fields.number(rest.get(1), 5);
                return Rule.monthlyWeekday(interval, ordinal, fields.weekday(rest.get(2)));
            default:
                throw new Refused("wrong_arguments");
        }
    }

    private static Rule.End readEnd(Fields fields, String kind, String value) throws Refused {
        return switch (kind) {
            case "count" -> new Rule.End(fields.number(value, MOST_OCCURRENCES), Rule.LAST_DAY);
            case "until" -> new Rule.End(Long.MAX_VALUE, fields.date(value));
            default -> throw new Refused("wrong_arguments");
        };
    }

    private static void expect(boolean rightNumber) throws Refused {
        if (!rightNumber) {
            throw new Refused("wrong_arguments");
        }
    }

    private static void checkWindow(long start, long end) throws Refused {
        if (start >= end) {
            throw new Refused("empty_window");
        }
    }

    private static String occurrenceLine(Series.Occurrence occurrence) {
        Zone zone = occurrence.series().zone;
        return String.join(" ",
                Dates.instantText(occurrence.start()),
                Dates.instantText(occurrence.end()),
                occurrence.series().name,
                Dates.minuteText(occurrence.original()),
                Dates.minuteText(zone.local(occurrence.start())),
                Dates.minuteText(zone.local(occurrence.end())));
    }

    private static String clashLine(Clash clash) {
        return String.join(" ",
                Dates.instantText(clash.begin()),
                Dates.instantText(clash.finish()),
                Dates.minuteText(clash.first()),
                Dates.minuteText(clash.second()));
    }
}
