! Built by flang: parallel loops, critical, single, barrier.
! run: threads=4
! build: compiler=flang-new-16
! expect: parallel_begin=2 parallel_end=2 mutex_acquired:critical=4 work:single_executor.begin=1
! expect: sync_region:barrier_explicit.begin=4
program flang_loops
  implicit none
  integer :: i, once, threads, a(100)
  once = 0
  threads = 0
  !$omp parallel do
  do i = 1, 100
    a(i) = i
  end do
  !$omp end parallel do
  !$omp parallel shared(once, threads)
  !$omp single
  once = once + 1
  !$omp end single
  !$omp barrier
  !$omp critical
  threads = threads + 1
  !$omp end critical
  !$omp end parallel
  if (sum(a) /= 5050 .or. once /= 1 .or. threads /= 4) stop 1
  print '(a)', 'ok flang_loops'
end program
