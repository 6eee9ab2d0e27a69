"""Files: whether each operation stands in the life of its handle, and ends once."""

# Kinds of records; the first field of each is its handle.
KINDS = tuple(
    "Io" + one
    for one in (
        "CreateHandle DestroyHandle OperationBegin OperationTest OperationIssued "
        "OperationComplete OperationCancelled"
    ).split()
)
PRE_CREATED = 1  # The flag of a handle that no event creates.


class Files:
    """The handles of each process, with what is open there."""

    def __init__(self, definitions):
        self.definitions = definitions
        self.active, self.gone = set(), set()  # Processes and their handles.
        self.open = {}  # Process, handle and number -> the bytes that are wanted.

    def record(self, location, kind, fields, report):
        """A record of a file at a location."""
        handle = self.definitions.get("IoHandle", fields[0])
        if not handle:
            return
        own = self.definitions.process.get(location.reference), handle.self
        if kind == "IoCreateHandle":
            if own in self.active:
                report("io-handle", f"handle {handle.self} is active")
            self.active.add(own)
            return
        is_there = handle.flags & PRE_CREATED and own not in self.gone
        if own not in self.active and not is_there:
            report("io-handle", f"handle {handle.self} is not active")
        if kind == "IoDestroyHandle":
            self._destroy(own, report)
        elif kind == "IoOperationBegin":
            self._begin((*own, fields[-1]), fields[3], report)
        else:
            self._go_on((*own, fields[-1]), kind, fields, report)

    def _destroy(self, own, report):
        self.active.discard(own)
        self.gone.add(own)
        left = [one for one in self.open if one[:2] == own]
        if left:
            report("io-incomplete", f"{len(left)} operations of handle {own[1]}")
        for one in left:
            del self.open[one]

    def _begin(self, operation, wanted, report):
        if operation in self.open:
            report("io-operation", f"operation {operation[2]} is open")
        self.open[operation] = wanted

    def _go_on(self, operation, kind, fields, report):
        wanted = self.open.get(operation)
        if wanted is None:
            report("io-operation", f"operation {operation[2]} is not open")
        elif kind == "IoOperationComplete" and fields[1] > wanted:
            report("io-bytes", f"{fields[1]} of {wanted}")
        if kind in ("IoOperationComplete", "IoOperationCancelled"):
            self.open.pop(operation, None)
