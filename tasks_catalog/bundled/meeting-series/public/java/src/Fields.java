import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** From words to values. */
final class Fields {
    private static final List<String> WEEKDAYS =
            List.of("mon", "tue", "wed", "thu", "fri", "sat", "sun");
    private static final int FIRST_YEAR = 1900;
    private static final int LAST_YEAR = 2199;

    private Fields() {}

    static long number(String word) throws BadCommand {
        BadCommand.expect(word.matches("[0-9]{1,9}"));
        long value = Long.parseLong(word);
        BadCommand.expect(value > 0);
        return value;
    }

    static long date(String word) throws BadCommand {
        BadCommand.expect(word.matches("[0-9]{4}-[0-9]{2}-[0-9]{2}"));
        int year = Integer.parseInt(word.substring(0, 4));
        int month = Integer.parseInt(word.substring(5, 7));
        int day = Integer.parseInt(word.substring(8));
        BadCommand.expect(year >= FIRST_YEAR && year <= LAST_YEAR && month >= 1 && month <= 12);
        BadCommand.expect(day >= 1 && day <= Dates.monthLength(year, month));
        return Dates.dayNumber(year, month, day);
    }

    static long local(String word) throws BadCommand {
        BadCommand.expect(word.matches(".{10}T[0-9]{2}:[0-9]{2}"));
        int hours = Integer.parseInt(word.substring(11, 13));
        int minutes = Integer.parseInt(word.substring(14));
        return date(word.substring(0, 10)) * Dates.MINUTES_PER_DAY + hours * 60 + minutes;
    }

    static long instant(String word) throws BadCommand {
        BadCommand.expect(word.endsWith("Z"));
        return local(word.substring(0, word.length() - 1));
    }

    static long offset(String word) throws BadCommand {
        BadCommand.expect(word.matches("[+-][0-9]{2}:[0-9]{2}"));
        long size = Long.parseLong(word.substring(1, 3)) * 60 + Long.parseLong(word.substring(4));
        return word.charAt(0) == '-' ? -size : size;
    }

    static Set<Integer> weekdays(String word) throws BadCommand {
        Set<Integer> numbers = new HashSet<>();
        for (String name : word.split(",", -1)) {
            BadCommand.expect(WEEKDAYS.contains(name));
            numbers.add(WEEKDAYS.indexOf(name));
        }
        return numbers;
    }
}
