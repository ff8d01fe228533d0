"""Which versions of schedulers and workers may share a farm."""

PROTOCOL = 2
"""Raise it with every change after which a worker or a scheduler of the code before must not take
new work: another meaning of a row, of a message, or of what they owe each other. A farm has the
protocol of the code that last upgraded its database; whoever speaks another is refused."""

OLDEST_FINISHER = 1
"""Workers of this protocol, and of every later one, may still finish what they hold when the farm
moves on. Raise it to PROTOCOL with a change after which their results can't be taken: an upgrade
then takes back what they hold, uncounted, and their late writes are refused."""
