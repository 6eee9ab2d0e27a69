! Regions nested to three levels.
! run: threads=2 env=OMP_MAX_ACTIVE_LEVELS=3
! expect: parallel_begin=7 parallel_end=7 implicit_task:implicit.begin=14
program nested
  implicit none
  integer :: leaves
  leaves = 0
  !$omp parallel num_threads(2) shared(leaves)
  !$omp parallel num_threads(2) shared(leaves)
  !$omp parallel num_threads(2) shared(leaves)
  !$omp atomic
  leaves = leaves + 1
  !$omp end parallel
  !$omp end parallel
  !$omp end parallel
  if (leaves /= 8) stop 1
  print '(a)', 'ok nested'
end program
