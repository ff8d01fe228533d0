package settingsreader;

/** The values that are written as one word without quotes. */
final class Words {
    private static final int LONGEST_INTEGER = 15;

    private Words() {
    }

    /** Returns the value as it is printed. */
    static String read(String word) throws WrongWord {
        if (word.equals("true") || word.equals("false")) {
            return word;
        }
        if (word.isEmpty() || !isDigit(word.charAt(0))) {
            throw new WrongWord("syntax", 0);
        }
        if (word.chars().anyMatch(character -> "dhms".indexOf(character) >= 0)) {
            return Durations.read(word) + "ms";
        }
        if (word.length() > LONGEST_INTEGER || !word.chars().allMatch(Words::isDigit)) {
            throw new WrongWord("bad-number", 0);
        }
        return word;
    }

    static boolean isDigit(int character) {
        return character >= '0' && character <= '9';
    }
}
