/** Input that is no block. */
final class BadInput extends Exception {
    private static final long serialVersionUID = 1L;
}
