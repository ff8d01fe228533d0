package invoicing;

import static invoicing.Decimals.formatHundredths;
import static invoicing.Decimals.parseHundredths;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Keeps documents; answers one command line after the other. */
public final class Register {
    private static final List<String> REFUSED = List.of("refused bad_command");

    private final Map<String, Document> documents = new HashMap<>();

    /** Returns the lines of the answer. */
    public List<String> answer(String line) {
        String[] words = line.split(" ", -1);
        if (words.length < 2) {
            return REFUSED;
        }
        if (words[0].equals("currency")) {
            return List.of("ok");
        }
        if (words[0].equals("open") && words.length > 2) {
            documents.put(words[1], new Document(words[1], words[2]));
            return List.of("ok");
        }
        Document document = documents.get(words[1]);
        if (document == null) {
            return REFUSED;
        }
        switch (words[0]) {
            case "line":
                return words.length == 6 ? addLine(document, words[2], words[3], words[4], words[5]) : REFUSED;
            case "discount":
                return words.length == 5 ? discount(document, words[2], words[3], words[4]) : REFUSED;
            case "rebate":
                return words.length == 4 ? rebate(document, words[2], words[3]) : REFUSED;
            case "lines":
                return lines(document);
            case "total":
                return total(document);
            default:
                return REFUSED;
        }
    }

    private static List<String> addLine(Document document, String name, String quantity, String price, String rate) {
        Long count = parseHundredths(quantity);
        Long cents = parseHundredths(price);
        Long percent = parseHundredths(rate);
        if (count == null || cents == null || percent == null) {
            return REFUSED;
        }
        return List.of("ok " + formatHundredths(document.addLine(name, count / 100, cents, percent / 100)));
    }

    private static List<String> discount(Document document, String name, String kind, String value) {
        Line line = document.find(name);
        Long cents = parseHundredths(value);
        if (line == null || cents == null) {
            return REFUSED;
        }
        line.amount -= kind.equals("percent") ? Document.percentOf(line.amount, cents / 100) : cents;
        return List.of("ok " + formatHundredths(line.amount));
    }

    private static List<String> rebate(Document document, String kind, String value) {
        Long cents = parseHundredths(value);
        if (cents == null) {
            return REFUSED;
        }
        long rebate = kind.equals("percent") ? document.rebatePercent(cents / 100) : document.rebateAmount(cents);
        return List.of("ok " + formatHundredths(rebate));
    }

    private static List<String> lines(Document document) {
        List<String> answer = new ArrayList<>();
        answer.add("lines " + document.lines.size());
        for (Line line : document.lines) {
            answer.add("item " + line.name + " rate " + line.rate + " amount " + formatHundredths(line.amount)
                    + " rebate " + formatHundredths(line.rebate) + " net " + formatHundredths(line.net()));
        }
        return answer;
    }

    private static List<String> total(Document document) {
        List<String> answer = new ArrayList<>();
        long net = document.lines.stream().mapToLong(Line::net).sum();
        long tax = document.lines.stream().mapToLong(Line::tax).sum();
        answer.add("total " + document.name + " " + document.code + " net " + formatHundredths(net)
                + " tax " + formatHundredths(tax) + " gross " + formatHundredths(net + tax));
        for (long rate : document.rates()) {
            net = document.lines.stream().filter(line -> line.rate == rate).mapToLong(Line::net).sum();
            tax = document.lines.stream().filter(line -> line.rate == rate).mapToLong(Line::tax).sum();
            answer.add("rate " + rate + " net " + formatHundredths(net) + " tax " + formatHundredths(tax));
        }
        return answer;
    }
}
