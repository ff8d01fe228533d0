package agingcache;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** One line taken apart; the fields that the command lacks are empty. */
final class Command {
    private static final Map<String, List<String>> LAYOUTS = Map.ofEntries(
            Map.entry("cache", List.of("bytes", "chars")),
            Map.entry("set", List.of("at", "key", "mode", "ttl", "stale", "tags", "value")),
            Map.entry("absent", List.of("at", "key", "ttl")),
            Map.entry("cas", List.of("at", "key", "version", "mode", "ttl", "stale", "tags", "value")),
            Map.entry("get", List.of("at", "key")),
            Map.entry("touch", List.of("at", "key")),
            Map.entry("delete", List.of("at", "key")),
            Map.entry("invalidate", List.of("at", "tag")),
            Map.entry("load", List.of("at", "key", "lease")),
            Map.entry("loaded", List.of("at", "key", "ticket", "mode", "ttl", "stale", "tags", "value")),
            Map.entry("failed", List.of("at", "key", "ticket")),
            Map.entry("resize", List.of("at", "bytes")),
            Map.entry("stats", List.of("at")));

    private static final long LARGEST = 1_000_000_000_000L;
    private static final long LARGEST_CHARS = 1000;

    private static final Pattern NUMBER = Pattern.compile("0|[1-9][0-9]{0,12}");
    private static final Pattern TAG = Pattern.compile("[a-z0-9]{1,10}");

    final String name;
    long at;
    long bytes;
    long chars;
    String key = "";
    boolean slides;
    long ttl;
    long stale;
    List<String> tags = List.of();
    String value = "";
    long version;
    long lease;
    long ticket;

    private Command(String name) {
        this.name = name;
    }

    /** The command on a well-formed line; throws Refused for any other. */
    static Command parse(String line) {
        if (line.isEmpty()) {
            throw new Refused("empty_line");
        }
        String name = line.split(" ", 2)[0];
        List<String> layout = LAYOUTS.get(name);
        if (layout == null) {
            throw new Refused("unknown_command");
        }
        boolean endsInValue = layout.get(layout.size() - 1).equals("value");
        String[] pieces = line.split(" ", endsInValue ? 1 + layout.size() : -1);
        if (pieces.length != 1 + layout.size()) {
            throw new Refused("wrong_fields");
        }
        Command command = new Command(name);
        for (int position = 0; position < layout.size(); position++) {
            command.take(layout.get(position), pieces[1 + position]);
        }
        command.refuseDuplicates();
        return command;
    }

    private void take(String field, String text) {
        switch (field) {
            case "at" -> at = number(text, 0, LARGEST);
            case "bytes" -> bytes = number(text, 0, LARGEST);
            case "chars" -> chars = number(text, 1, LARGEST_CHARS);
            case "ttl" -> ttl = number(text, 1, LARGEST);
            case "stale" -> stale = number(text, 0, LARGEST);
            case "version" -> version = number(text, 0, LARGEST);
            case "lease" -> lease = number(text, 1, LARGEST);
            case "ticket" -> ticket = number(text, 1, LARGEST);
            case "key" -> key = key(text);
            case "mode" -> slides = slides(text);
            case "tags" -> tags = text.equals("-") ? List.of() : Stream.of(text.split(",", -1)).map(Command::tag).toList();
            case "tag" -> tags = List.of(tag(text));
            default -> value = text;
        }
    }

    private static long number(String text, long least, long most) {
        if (!NUMBER.matcher(text).matches() || Long.parseLong(text) < least || Long.parseLong(text) > most) {
            throw new Refused("bad_number");
        }
        return Long.parseLong(text);
    }

    private static String key(String text) {
        if (text.isEmpty()) {
            throw new Refused("bad_key");
        }
        return text;
    }

    private static boolean slides(String text) {
        if (!text.equals("abs") && !text.equals("slide")) {
            throw new Refused("bad_mode");
        }
        return text.equals("slide");
    }

    private static String tag(String text) {
        if (!TAG.matcher(text).matches()) {
            throw new Refused("bad_tags");
        }
        return text;
    }

    private void refuseDuplicates() {
        for (int position = 0; position < tags.size(); position++) {
            if (tags.indexOf(tags.get(position)) < position) {
                throw new Refused("duplicate_tag", tags.get(position));
            }
        }
    }
}
