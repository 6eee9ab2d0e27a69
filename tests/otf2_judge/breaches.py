"""Collects what is wrong with an archive: every kind counted, the first few of each kept."""

from collections import Counter

from kinds import KINDS

KEPT = 5


class Breaches:
    """The breaches found so far."""

    def __init__(self):
        self.counts = Counter()
        self.kept = {}

    def add(self, kind, text, location=None, time=None, event=None):
        """One more breach; location, time and event where there is one."""
        if kind not in KINDS:
            raise KeyError(f"{kind} is not in kinds.py")
        self.counts[kind] += 1
        if self.counts[kind] <= KEPT:
            where = {"location": location, "time": time, "event": event}
            self.kept.setdefault(kind, []).append({"text": text, **where})

    def lines(self):
        """The report for people."""
        for kind, kept in self.kept.items():
            count = self.counts[kind]
            yield f"{kind}: {count} time{'s' if count > 1 else ''}"
            for breach in kept:
                known = {name: value for name, value in breach.items() if value is not None}
                text = known.pop("text")
                where = "".join(f"{name} {value}, " for name, value in known.items())
                yield f"    {where}{text}"

    def table(self):
        """The report for programs."""
        return [
            {"kind": kind, "count": self.counts[kind], "first": kept}
            for kind, kept in self.kept.items()
        ]
