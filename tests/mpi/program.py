# Calls MPI from Python, a known number of times: the interpreter is not linked with MPI.
import os

from mpi4py import MPI

ROUNDS = 20
world = MPI.COMM_WORLD
rank, other = world.Get_rank(), world.Get_rank() ^ 1
data, incoming = bytearray(30), bytearray(30)
for at in range(ROUNDS):
    request = world.Irecv([incoming, MPI.BYTE], other, 1)
    world.Send([data, MPI.BYTE], other, 1)
    request.Wait()
    world.Barrier()
lines = [f"calls of {name}: {ROUNDS}" for name in ("MPI_Irecv", "MPI_Send", "MPI_Wait")]
lines += [f"{way}: {ROUNDS} messages, {30 * ROUNDS} bytes" for way in ("sent", "received")]
# In one piece and one rank after the other: lines of several ranks may be mixed.
for turn in range(world.Get_size()):
    if turn == rank:
        os.write(1, "".join(f"rank {rank}: {line}\n" for line in lines).encode())
    world.barrier()
