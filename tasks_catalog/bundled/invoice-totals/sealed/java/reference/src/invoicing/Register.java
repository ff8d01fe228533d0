package invoicing;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Keeps currencies and documents; answers one command line after the other. */
public final class Register {
    private final Map<String, Document.Currency> currencies = new HashMap<>();
    private final Map<String, Document> documents = new HashMap<>();

    /** Returns the lines of the answer. */
    public List<String> answer(String line) {
        try {
            return carryOut(Request.parse(line));
        } catch (Refused refusal) {
            return List.of("refused " + refusal.reason());
        }
    }

    private List<String> carryOut(Request request) throws Refused {
        switch (request.command()) {
            case "currency":
                return currency(request.word("code"), request.word("digits"));
            case "open":
                return open(request.word("doc"), request.word("code"), Rounding.named(request.word("rounding")));
            default:
        }
        Document document = documents.get(request.word("doc"));
        if (document == null) {
            throw new Refused("unknown_document");
        }
        return switch (request.command()) {
            case "lines" -> lines(document);
            case "total" -> total(document);
            default -> List.of("ok " + amount(document, change(document, request)));
        };
    }

    private List<String> currency(String code, String digits) throws Refused {
        if (currencies.containsKey(code)) {
            throw new Refused("currency_exists");
        }
        currencies.put(code, new Document.Currency(code, Integer.parseInt(digits)));
        return List.of("ok");
    }

    private List<String> open(String doc, String code, Rounding rounding) throws Refused {
        if (documents.containsKey(doc)) {
            throw new Refused("document_exists");
        }
        if (!currencies.containsKey(code)) {
            throw new Refused("unknown_currency");
        }
        documents.put(doc, new Document(doc, currencies.get(code), rounding));
        return List.of("ok");
    }

    private static BigInteger change(Document document, Request request) throws Refused {
        return switch (request.command()) {
            case "line" -> document.addLine(
                    request.word("line"), request.number("quantity"), request.number("price"), request.number("rate"));
            case "discount" -> document.discount(
                    request.word("line"), request.word("kind"), request.number("value"));
            default -> document.rebate(request.word("kind"), request.number("value"));
        };
    }

    private static List<String> lines(Document document) {
        List<String> answer = new ArrayList<>();
        answer.add("lines " + document.lines().size());
        for (Line line : document.lines()) {
            answer.add("item " + line.name() + " rate " + rate(line.rate()) + " amount " + amount(document, line.amount())
                    + " rebate " + amount(document, line.rebate()) + " net " + amount(document, line.net()));
        }
        return answer;
    }

    private static List<String> total(Document document) {
        List<String> answer = new ArrayList<>();
        List<Document.Group> groups = document.groups();
        BigInteger net = Document.netOf(groups);
        BigInteger tax = Document.taxOf(groups);
        answer.add("total " + document.name + " " + document.currency.code() + " net " + amount(document, net)
                + " tax " + amount(document, tax) + " gross " + amount(document, net.add(tax)));
        for (Document.Group group : groups) {
            answer.add("rate " + rate(group.rate()) + " net " + amount(document, group.net())
                    + " tax " + amount(document, group.tax()));
        }
        return answer;
    }

    private static String rate(long thousandths) {
        return Decimals.formatShortest(thousandths, Request.FINEST);
    }

    private static String amount(Document document, BigInteger units) {
        return Decimals.format(units, document.currency.digits());
    }
}
