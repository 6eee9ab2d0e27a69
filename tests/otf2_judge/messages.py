"""Messages and collective operations of MPI: where their records stand, and what becomes of each request."""

from definitions import MPI

# Kinds of records that post a request, and those that end it, by what the request is for.
POSTS = {
    "MpiIsend": "send",
    "MpiIrecvRequest": "receive",
    "NonBlockingCollectiveRequest": "collective",
}
ENDS = {
    "MpiIsendComplete": "send",
    "MpiIrecv": "receive",
    "NonBlockingCollectiveComplete": "collective",
}
# Where a record has its peer or root, its communicator and its request.
PEERS = {
    "MpiSend": (0, 1),
    "MpiIsend": (0, 1),
    "MpiRecv": (0, 1),
    "MpiIrecv": (0, 1),
    "MpiCollectiveEnd": (2, 1),
    "NonBlockingCollectiveComplete": (2, 1),
}
KINDS = (*PEERS, *POSTS, *ENDS, "MpiRequestTest", "MpiRequestCancelled", "MpiCollectiveBegin")
# Roots from here on stand for none, for this rank and for this group.
SPECIAL_ROOTS = 0xFFFFFFFD


class Messages:
    """What is under way."""

    def __init__(self, definitions):
        self.definitions = definitions
        self.requests = {}  # Process and number -> what it is for.
        self.collective = set()  # Locations in a blocking operation.

    def record(self, location, kind, fields, report):
        """A record of MPI at a location."""
        region = (location.top.running or location.top.implicit).top()
        known = self.definitions.get("Region", region)
        if not known or known.paradigm != MPI:
            report("message-outside-call", f"the innermost is {known}")
        if kind in PEERS:
            self._check_rank(location, kind, fields, report)
        if kind == "MpiCollectiveBegin":
            self._begin_collective(location, report)
        elif kind == "MpiCollectiveEnd":
            if location.reference not in self.collective:
                report("collective-end", "none has begun here")
            self.collective.discard(location.reference)
        elif kind in POSTS:
            self._post(self._request(location, fields), POSTS[kind], report)
        elif kind not in PEERS or kind in ENDS:
            self._end_or_test(kind, self._request(location, fields), report)

    def leave(self, location, region, report):
        """A region is left: not while a collective operation goes on in it."""
        known = self.definitions.get("Region", region)
        if known and known.paradigm == MPI and location.reference in self.collective:
            report("collective-without-end", f"in {known}")
            self.collective.discard(location.reference)

    def _request(self, location, fields):
        """A request: each process has numbers of its own."""
        return self.definitions.process.get(location.reference), fields[-1]

    def _check_rank(self, location, kind, fields, report):
        rank, comm = (fields[index] for index in PEERS[kind])
        is_root = "Collective" in kind
        if not self.definitions.get("Comm", comm) or (is_root and rank >= SPECIAL_ROOTS):
            return
        size = len(self.definitions.peers(comm, location.reference))
        if rank >= size:
            report("message-rank", f"rank {rank} of {size} in comm {comm}")

    def _begin_collective(self, location, report):
        if location.reference in self.collective:
            report("collective-nested", "another has begun and not ended")
        self.collective.add(location.reference)

    def _post(self, request, purpose, report):
        if request in self.requests:
            report("request-posted-twice", f"request {request[1]} is open")
        self.requests[request] = purpose

    def _end_or_test(self, kind, request, report):
        """A request that is tested, or that ends."""
        purpose = self.requests.get(request)
        if purpose is None or ENDS.get(kind, purpose) != purpose:
            report("request-not-posted", f"request {request[1]} is open for {purpose}")
        if kind != "MpiRequestTest":
            self.requests.pop(request, None)
