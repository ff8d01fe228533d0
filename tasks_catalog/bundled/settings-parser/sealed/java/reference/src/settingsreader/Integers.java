package settingsreader;

/** Integers such as -1_000 and 0xff. */
final class Integers {
    private static final String DECIMAL = "0123456789";
    private static final String HEXADECIMAL = DECIMAL + "abcdef";
    private static final long LARGEST = 9_007_199_254_740_991L;

    private Integers() {
    }

    static long read(String word) throws WrongWord {
        boolean negative = word.startsWith("-");
        int position = negative ? 1 : 0;
        String digits = DECIMAL;
        if (word.startsWith("0x", position)) {
            digits = HEXADECIMAL;
            position += 2;
        } else if (word.startsWith("0", position) && word.length() > position + 1) {
            throw new WrongWord("bad-number", position + 1);
        }
        long number = 0;
        boolean digitMustFollow = true;
        for (; position < word.length(); position++) {
            int digit = digits.indexOf(lowerCase(word.charAt(position)));
            if (digit >= 0) {
                if (number <= LARGEST) {
                    number = number * digits.length() + digit;
                }
                digitMustFollow = false;
            } else if (word.charAt(position) == '_' && !digitMustFollow) {
                digitMustFollow = true;
            } else {
                throw new WrongWord("bad-number", position);
            }
        }
        if (digitMustFollow) {
            throw new WrongWord("bad-number", position);
        }
        if (number > LARGEST) {
            throw new WrongWord("out-of-range", 0);
        }
        return negative ? -number : number;
    }

    private static char lowerCase(char character) {
        return character >= 'A' && character <= 'Z' ? (char) (character - 'A' + 'a') : character;
    }
}
