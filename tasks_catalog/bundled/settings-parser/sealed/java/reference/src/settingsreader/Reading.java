package settingsreader;

import java.util.ArrayList;
import java.util.List;

/** Reads a document statement by statement. */
public final class Reading {
    private final Scanner scanner;
    private final Given given = new Given();
    /** Null if there is no section to put settings into. */
    private List<String> section = List.of();

    private Reading(Scanner scanner) {
        this.scanner = scanner;
    }

    /** Returns all settings, or all errors. */
    public static Document read(String text) {
        Reading reading = new Reading(new Scanner(new Source(text)));
        while (reading.scanner.here() != Source.NOTHING) {
            reading.statement();
        }
        return reading.document();
    }

    private Document document() {
        Resolver resolver = new Resolver(given);
        resolver.noteErrors(scanner);
        if (!scanner.errors.isEmpty()) {
            return new Document(List.of(), scanner.errors);
        }
        List<List<String>> paths = given.paths();
        paths.sort(Printing::comparePaths);
        List<Document.Setting> settings = new ArrayList<>();
        for (List<String> path : paths) {
            settings.add(new Document.Setting(Printing.path(path), resolver.printed(path)));
        }
        return new Document(settings, List.of());
    }

    private void statement() {
        scanner.openLists = 0;
        try {
            scanner.blanks();
            if (scanner.atLineEnd() || scanner.here() == '#') {
                scanner.end();
            } else if (scanner.here() == '[') {
                header();
            } else {
                setting();
            }
        } catch (Broken broken) {
            // It was reported, and the next statement can be read.
        }
    }

    private void header() throws Broken {
        // Until the header has proved to be right, there is no section to put settings into.
        section = null;
        scanner.position++;
        List<Scanner.Key> keys = scanner.path(']');
        scanner.end();
        List<String> path = pathOf(keys);
        if (path == null) {
            return;
        }
        int clash = given.openSection(path);
        if (clash > 0) {
            scanner.note(keys.get(clash - 1).start(), "key-section-clash");
            return;
        }
        section = path;
    }

    private void setting() throws Broken {
        Scanner.Key key = scanner.key();
        scanner.blanks();
        boolean appends = operator();
        scanner.blanks();
        int start = scanner.position;
        Value.Part part = new Value.Part(wholeValue(), start);
        if (section == null || key.text() == null) {
            return;
        }
        List<String> path = new ArrayList<>(section);
        path.add(key.text());
        String kind = appends ? given.append(path, part) : given.set(path, part);
        if (kind != null) {
            scanner.note(key.start(), kind);
        }
    }

    /** Tells whether the operator appends. */
    private boolean operator() throws Broken {
        if (scanner.here() == '=') {
            scanner.position++;
            return false;
        }
        if (scanner.here() == '+' && scanner.next() == '=') {
            scanner.position += 2;
            return true;
        }
        throw scanner.fail(scanner.position, "expected-operator");
    }

    private Value wholeValue() {
        try {
            Value value = value();
            scanner.end();
            return value;
        } catch (Broken broken) {
            return new Value.Unknown();
        }
    }

    private Value value() throws Broken {
        if (scanner.here() == '"') {
            String text = scanner.string();
            return text == null ? new Value.Unknown() : new Value.Single(Printing.string(text));
        }
        if (scanner.here() == '[') {
            return list();
        }
        if (scanner.here() == '$' && scanner.next() == '{') {
            return reference();
        }
        if (!scanner.atWord()) {
            throw scanner.fail(scanner.position, "expected-value");
        }
        return word();
    }

    private Value list() throws Broken {
        int opening = scanner.position;
        scanner.position++;
        scanner.openLists++;
        List<Value> elements = new ArrayList<>();
        scanner.spaceInList(opening);
        while (scanner.here() != ']') {
            elements.add(value());
            scanner.spaceInList(opening);
            if (scanner.here() == ',') {
                scanner.position++;
                scanner.spaceInList(opening);
            } else if (scanner.here() != ']') {
                throw scanner.fail(scanner.position, "expected-comma");
            }
        }
        scanner.position++;
        scanner.openLists--;
        return new Value.Many(elements);
    }

    private Value reference() throws Broken {
        int start = scanner.position;
        scanner.position += 2;
        List<String> path = pathOf(scanner.path('}'));
        return path == null ? new Value.Unknown() : new Value.Reference(path, start);
    }

    private Value word() {
        int start = scanner.position;
        try {
            return new Value.Single(Words.read(scanner.word()));
        } catch (WrongWord error) {
            scanner.note(start + error.offset, error.kind);
            return new Value.Unknown();
        }
    }

    /** Returns the path, null if there was an error in one of the keys. */
    private static List<String> pathOf(List<Scanner.Key> keys) {
        List<String> path = new ArrayList<>();
        for (Scanner.Key key : keys) {
            path.add(key.text());
        }
        return path.contains(null) ? null : path;
    }
}
