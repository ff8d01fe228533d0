package settingsreader;

/** Writes down what was read. */
public final class Report {
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
            lines.append("document " + name + " failed " + document.errors().size() + "\n");
            for (Document.Mistake error : document.errors()) {
                lines.append(error.line() + ":" + error.column() + " " + error.kind() + "\n");
            }
        }
        return lines.toString();
    }
}
