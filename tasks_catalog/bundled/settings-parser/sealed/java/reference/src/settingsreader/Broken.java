package settingsreader;

/** The statement cannot be read on. Its error was noted, the place is where reading goes on. */
final class Broken extends Exception {
    private static final long serialVersionUID = 1;

    Broken() {
        super(null, null, false, false);
    }
}
