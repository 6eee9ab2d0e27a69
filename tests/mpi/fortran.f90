! Calls MPI by its Fortran interface, a known number of times.
program fortran
    use mpi
    implicit none
    integer, parameter :: rounds = 20
    integer :: rank, other, error, round, request, status(MPI_STATUS_SIZE)
    integer :: numbers(6), incoming(6), total
    character(len=*), parameter :: calls = '("rank ", i0, ": calls of ", a, ": ", i0)'
    character(len=*), parameter :: messages = '("rank ", i0, ": ", a, ": ", i0, " messages, ", i0, " bytes")'

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    other = ieor(rank, 1)
    numbers = rank
    do round = 1, rounds
        call MPI_Irecv(incoming, 6, MPI_INTEGER, other, 1, MPI_COMM_WORLD, request, error)
        call MPI_Send(numbers, 6, MPI_INTEGER, other, 1, MPI_COMM_WORLD, error)
        call MPI_Wait(request, status, error)
        call MPI_Allreduce(MPI_IN_PLACE, numbers, 6, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
        call MPI_Sendrecv(numbers, 3, MPI_INTEGER, other, 2, incoming, 3, MPI_INTEGER, other, 2, &
            MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    end do
    call MPI_Finalize(error)
    total = 2 * rounds
    print calls, rank, 'MPI_Init', 1
    print calls, rank, 'MPI_Irecv', rounds
    print calls, rank, 'MPI_Send', rounds
    print calls, rank, 'MPI_Wait', rounds
    print calls, rank, 'MPI_Allreduce', rounds
    print calls, rank, 'MPI_Sendrecv', rounds
    print calls, rank, 'MPI_Finalize', 1
    print messages, rank, 'sent', total, rounds * (24 + 12)
    print messages, rank, 'received', total, rounds * (24 + 12)
end program fortran
