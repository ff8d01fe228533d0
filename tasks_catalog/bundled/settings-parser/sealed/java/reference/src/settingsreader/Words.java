package settingsreader;

/** The values that are written as one word without quotes. */
final class Words {
    private Words() {
    }

    /** Returns the value as it is printed. */
    static String read(String word) throws WrongWord {
        if (word.equals("true") || word.equals("false")) {
            return word;
        }
        if (!isDigit(word.charAt(0)) && !word.startsWith("-")) {
            throw new WrongWord("unknown-word", 0);
        }
        boolean isHexadecimal = word.startsWith("0x") || word.startsWith("-0x");
        if (!isHexadecimal && word.chars().anyMatch(character -> "dhms".indexOf(character) >= 0)) {
            return Durations.read(word) + "ms";
        }
        return Long.toString(Integers.read(word));
    }

    static boolean isDigit(int character) {
        return character >= '0' && character <= '9';
    }
}
