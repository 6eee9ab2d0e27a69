"""Windows of MPI: where their records stand, and what becomes of each access and lock.

Windows of devices are not among them: each location has those for itself.
"""

from definitions import MPI

ACCESSES = ("RmaPut", "RmaGet", "RmaAtomic")
# Kinds of records, and where each has its window.
KINDS = {
    "RmaCollectiveBegin": None,
    "RmaCollectiveEnd": 2,
    **{
        "Rma" + one: 0
        for one in (
            "WinCreate WinDestroy AcquireLock ReleaseLock Sync WaitChange Put Get Atomic "
            "OpCompleteBlocking OpCompleteNonBlocking OpTest OpCompleteRemote"
        ).split()
    },
}
HAS_EVENTS = 1  # The flag of a window that events create and destroy.
ALL_RANKS = 0xFFFFFFFF


class Windows:
    """The windows of each process, with what is open there."""

    def __init__(self, definitions):
        self.definitions = definitions
        self.alive = set()  # Processes and their windows.
        self.open = {}  # Location, window and number -> whether it is complete for the location.
        self.locks = set()  # Process, window and rank.
        self.collective = set()  # Locations in a collective operation.

    def record(self, location, kind, fields, report):
        """A record of a window at a location."""
        if KINDS[kind] is None:
            self._in_call(location, report)
            if location.reference in self.collective:
                report("rma-collective", "another has begun and not ended")
            self.collective.add(location.reference)
            return
        win = self.definitions.get("RmaWin", fields[KINDS[kind]])
        if not win or not self._is_of_mpi(win):
            return
        self._in_call(location, report)
        own = self.definitions.process.get(location.reference), win.self
        if kind == "RmaWinCreate":
            if own in self.alive:
                report("rma-window", f"window {win.self} is there already")
            self.alive.add(own)
            return
        if kind != "RmaCollectiveEnd" and win.flags & HAS_EVENTS and own not in self.alive:
            report("rma-window", f"window {win.self} is not there")
        self._at_window(location, own, win, kind, fields, report)

    def _at_window(self, location, own, win, kind, fields, report):
        if kind in ACCESSES or kind in ("RmaAcquireLock", "RmaReleaseLock", "RmaSync"):
            self._check_rank(location, win, fields[1], kind, report)
        if kind in ACCESSES:
            self._begin((location.reference, win.self, fields[-1]), report)
        elif kind.startswith("RmaOp"):
            self._complete((location.reference, win.self, fields[1]), kind, report)
        elif kind in ("RmaAcquireLock", "RmaReleaseLock"):
            self._lock((*own, fields[1]), kind, report)
        elif kind == "RmaWinDestroy":
            self._destroy(own, report)
        elif kind == "RmaCollectiveEnd":
            if location.reference not in self.collective:
                report("rma-collective", "none has begun here")
            self.collective.discard(location.reference)

    def leave(self, location, region, report):
        """A region is left: not while a collective operation goes on in it."""
        known = self.definitions.get("Region", region)
        if known and known.paradigm == MPI and location.reference in self.collective:
            report("rma-collective", f"it has no end in {known}")
            self.collective.discard(location.reference)

    def _is_of_mpi(self, win):
        comm = self.definitions.get("Comm", win.comm)
        group = comm and self.definitions.get("Group", comm.group)
        return group and group.paradigm == MPI

    def _in_call(self, location, report):
        region = (location.top.running or location.top.implicit).top()
        known = self.definitions.get("Region", region)
        if not known or known.paradigm != MPI:
            report("message-outside-call", f"the innermost is {known}")

    def _check_rank(self, location, win, rank, kind, report):
        size = len(self.definitions.peers(win.comm, location.reference))
        if rank >= size and not (rank == ALL_RANKS and "Lock" in kind):
            report("message-rank", f"rank {rank} of {size} in window {win.self}")

    def _begin(self, access, report):
        if access in self.open:
            report("rma-access", f"access {access[2]} is open")
        self.open[access] = False

    def _complete(self, access, kind, report):
        """An access is complete here and then in the window, once each, or it is tested before."""
        here = self.open.get(access)
        wanted = kind == "RmaOpCompleteRemote"
        if here is not wanted:
            report("rma-access", f"access {access[2]}, complete here: {here}")
        if kind in ("RmaOpCompleteRemote", "RmaOpCompleteBlocking"):
            self.open.pop(access, None)
        elif kind == "RmaOpCompleteNonBlocking":
            self.open[access] = True

    def _lock(self, lock, kind, report):
        if (lock in self.locks) != (kind == "RmaReleaseLock"):
            report("rma-lock", f"rank {lock[2]} of window {lock[1]}")
        change = self.locks.discard if kind == "RmaReleaseLock" else self.locks.add
        change(lock)

    def _destroy(self, own, report):
        process, win = own
        self.alive.discard(own)
        of = self.definitions.process.get
        left = [one for one in self.open if one[1] == win and of(one[0]) == process]
        if left:
            report("rma-incomplete", f"{len(left)} accesses to window {win}")
        for one in left:
            del self.open[one]
