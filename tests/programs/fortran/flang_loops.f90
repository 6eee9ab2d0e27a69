! Built by flang: parallel loops, critical, single, barrier.
! run: threads=4
! build: compiler=flang-new-16
! expect: parallel_begin=2 parallel_end=2 mutex_acquired:critical=4 work:single_executor.begin=1
! expect: sync_region:barrier_explicit.begin=4
program flang_loops
  implicit none
  integer :: i, once, members, a(100)
  once = 0
  members = 0
  !$omp parallel do
  do i = 1, 100
    a(i) = i
  end do
  !$omp end parallel do
  !$omp parallel shared(once, members)
  !$omp single
  once = once + 1
  !$omp end single
  !$omp barrier
  !$omp critical
  members = members + 1
  !$omp end critical
  !$omp end parallel
  if (sum(a) /= 5050 .or. once /= 1 .or. members /= 4) stop 1
  print '(a)', 'ok flang_loops'
end program
