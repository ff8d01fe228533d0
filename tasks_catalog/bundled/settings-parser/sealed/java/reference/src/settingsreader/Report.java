package settingsreader;

import java.util.Comparator;
import java.util.List;

/** Writes down what was read. */
public final class Report {
    private static final int MOST_ERRORS = 10;

    private Report() {
    }

    public static String of(String name, Document document) {
        StringBuilder lines = new StringBuilder();
        if (document.errors().isEmpty()) {
            lines.append("document " + name + " ok " + document.settings().size() + "\n");
            for (Document.Setting setting : document.settings()) {
                lines.append(setting.path() + " = " + setting.value() + "\n");
            }
        } else {
            int count = document.errors().size();
            lines.append("document " + name + " failed " + count + "\n");
            for (Document.Mistake error : first(document.errors())) {
                lines.append(error.line() + ":" + error.column() + " " + error.kind() + "\n");
            }
            if (count > MOST_ERRORS) {
                lines.append("and " + (count - MOST_ERRORS) + " more\n");
            }
        }
        return lines.toString();
    }

    private static List<Document.Mistake> first(List<Document.Mistake> errors) {
        return errors.stream()
                .sorted(Comparator.comparingInt(Document.Mistake::line).thenComparingInt(Document.Mistake::column))
                .limit(MOST_ERRORS)
                .toList();
    }
}
