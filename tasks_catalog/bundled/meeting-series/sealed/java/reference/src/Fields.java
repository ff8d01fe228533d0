import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads the words of one command; {@code settle} tells what was wrong with any of them.
 *
 * <p>A wrong form anywhere goes before a wrong range anywhere, so no word is refused before all are read.
 */
final class Fields {
    private static final List<String> WEEKDAYS =
            List.of("mon", "tue", "wed", "thu", "fri", "sat", "sun");
    private static final int FIRST_YEAR = 1900;
    private static final int LAST_YEAR = 2199;
    private static final int LARGEST_OFFSET = 14 * 60;

    private boolean badForm;
    private boolean outOfRange;

    void settle() throws Refused {
        if (badForm) {
            throw new Refused("bad_form");
        }
        if (outOfRange) {
            throw new Refused("out_of_range");
        }
    }

    String name(String word) {
        if (!word.matches("[a-z0-9-]{1,20}")) {
            badForm = true;
        }
        return word;
    }

    long number(String word, long most) {
        if (!word.matches("0|[1-9][0-9]*")) {
            badForm = true;
            return 0;
        }
        long value = word.length() > Long.toString(most).length() ? most + 1 : Long.parseLong(word);
        if (value < 1 || value > most) {
            outOfRange = true;
        }
        return value;
    }

    long date(String word) {
        if (!fits(word, "####-##-##")) {
            badForm = true;
            return 0;
        }
        int year = Integer.parseInt(word.substring(0, 4));
        int month = Integer.parseInt(word.substring(5, 7));
        int day = Integer.parseInt(word.substring(8));
        if (year < FIRST_YEAR || year > LAST_YEAR || month < 1 || month > 12
                || day < 1 || day > Dates.monthLength(year, month)) {
            outOfRange = true;
            return 0;
        }
        return Dates.dayNumber(year, month, day);
    }

    long local(String word) {
        if (!fits(word, "####-##-##T##:##")) {
            badForm = true;
            return 0;
        }
        int hours = Integer.parseInt(word.substring(11, 13));
        int minutes = Integer.parseInt(word.substring(14));
        if (hours > 23 || minutes > 59) {
            outOfRange = true;
        }
        return date(word.substring(0, 10)) * Dates.MINUTES_PER_DAY + hours * 60 + minutes;
    }

    long instant(String word) {
        if (!word.endsWith("Z")) {
            badForm = true;
            return 0;
        }
        return local(word.substring(0, word.length() - 1));
    }

    long offset(String word) {
        if (!fits(word, "+##:##") && !fits(word, "-##:##")) {
            badForm = true;
            return 0;
        }
        int minutes = Integer.parseInt(word.substring(4));
        int size = Integer.parseInt(word.substring(1, 3)) * 60 + minutes;
        if (minutes > 59 || size > LARGEST_OFFSET) {
            outOfRange = true;
        }
        return word.charAt(0) == '-' ? -size : size;
    }

    Zone.Transition transition(String word) {
        int slash = word.indexOf('/');
        if (slash < 0) {
            badForm = true;
            return new Zone.Transition(0, 0);
        }
        return new Zone.Transition(instant(word.substring(0, slash)), offset(word.substring(slash + 1)));
    }

    int weekday(String word) {
        int number = WEEKDAYS.indexOf(word);
        if (number < 0) {
            badForm = true;
        }
        return number;
    }

    Set<Integer> weekdays(String word) {
        Set<Integer> numbers = new HashSet<>();
        for (String name : word.split(",", -1)) {
            numbers.add(weekday(name));
        }
        return numbers;
    }

    /** Tells whether the word is the pattern, with a digit for every #. */
    private static boolean fits(String word, String pattern) {
        if (word.length() != pattern.length()) {
            return false;
        }
        for (int i = 0; i < word.length(); i++) {
            char found = word.charAt(i);
            char wanted = pattern.charAt(i);
            if (wanted == '#' ? found < '0' || found > '9' : found != wanted) {
                return false;
            }
        }
        return true;
    }
}
