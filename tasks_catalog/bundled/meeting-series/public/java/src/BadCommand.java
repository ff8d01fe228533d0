/** A command that cannot be carried out. */
final class BadCommand extends Exception {
    private static final long serialVersionUID = 1L;

    static void expect(boolean condition) throws BadCommand {
        if (!condition) {
            throw new BadCommand();
        }
    }
}
