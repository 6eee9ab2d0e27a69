! sections, single with copyprivate, and master.
! run: threads=4
! expect: parallel_begin=1 implicit_task:implicit.begin=4
program sections_single
  implicit none
  integer :: done, copies, value
  done = 0
  copies = 0
  !$omp parallel shared(done, copies) private(value)
  !$omp sections
  !$omp section
  !$omp atomic
  done = done + 1
  !$omp section
  !$omp atomic
  done = done + 10
  !$omp end sections
  !$omp single
  value = 7
  !$omp end single copyprivate(value)
  !$omp atomic
  copies = copies + value
  !$omp master
  !$omp atomic
  done = done + 100
  !$omp end master
  !$omp end parallel
  if (done /= 111 .or. copies /= 28) stop 1
  print '(a)', 'ok sections_single'
end program
