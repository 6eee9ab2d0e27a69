"""Locks: ThreadAcquireLock counts each lock's acquisitions, ThreadReleaseLock repeats the count.

A release may be stamped after the next acquire, so several may be open at a time.
"""


class Locks:
    """The state of every lock: (process, paradigm, lock) -> the last order, and the open ones."""

    def __init__(self):
        self.last = {}
        self.open = {}

    def ready(self, process, kind, fields):
        """Whether an event can be taken now."""
        lock, order = (process, *fields[:2]), fields[2]
        if kind == "ThreadAcquireLock":
            return order <= self.last.get(lock, 0) + 1
        return order in self.open.get(lock, ())

    def acquire(self, process, fields, report):
        """ThreadAcquireLock."""
        lock, order = (process, *fields[:2]), fields[2]
        if order <= self.last.get(lock, -1):
            report("lock-order", f"order {order} of lock {lock[2]} after {self.last[lock]}")
        self.last[lock] = max(order, self.last.get(lock, order))
        self.open.setdefault(lock, set()).add(order)

    def release(self, process, fields, report):
        """ThreadReleaseLock."""
        lock, order = (process, *fields[:2]), fields[2]
        held = self.open.setdefault(lock, set())
        if order not in held:
            text = f"order {order} of lock {lock[2]}; open: {sorted(held)}"
            report("release-without-acquire", text)
        held.discard(order)

    def close(self, breaches):
        """Reports what is held at the end."""
        for (_, _, lock), held in self.open.items():
            for order in sorted(held):
                breaches.add("lock-open-at-end", f"order {order} of lock {lock}")
