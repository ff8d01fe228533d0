"""Splits the input into documents."""


def frames(data):
    """Yield the name and the text of every document in the bytes of the input."""
    position = 0
    while position < len(data):
        line_end = data.index(b"\n", position)
        _, name, length = data[position:line_end].decode("utf-8").split(" ")
        start = line_end + 1
        end = start + int(length)
        yield name, data[start:end].decode("utf-8")
        position = end + 1
