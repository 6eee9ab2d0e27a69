# Calls MPI from Python, a known number of times: the interpreter is not linked with MPI.
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
print(f"rank {rank}: calls of MPI_Irecv: {ROUNDS}")
print(f"rank {rank}: calls of MPI_Send: {ROUNDS}")
print(f"rank {rank}: calls of MPI_Wait: {ROUNDS}")
print(f"rank {rank}: calls of MPI_Barrier: {ROUNDS}")
print(f"rank {rank}: sent: {ROUNDS} messages, {30 * ROUNDS} bytes")
print(f"rank {rank}: received: {ROUNDS} messages, {30 * ROUNDS} bytes")
