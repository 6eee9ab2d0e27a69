! Built by flang, which makes a static loop of them: sections, master, and a region inside another.
! run: threads=2 env=OMP_MAX_ACTIVE_LEVELS=2
! build: compiler=flang-new-16
! expect: parallel_begin=4 parallel_end=4 work.begin=2 masked.begin=1
program flang_sections
  implicit none
  integer :: parts, masters, leaves
  parts = 0
  masters = 0
  leaves = 0
  !$omp parallel num_threads(2) shared(parts, masters)
  !$omp sections
  !$omp section
  !$omp critical
  parts = parts + 1
  !$omp end critical
  !$omp section
  !$omp critical
  parts = parts + 1
  !$omp end critical
  !$omp end sections
  !$omp master
  masters = masters + 1
  !$omp end master
  !$omp end parallel
  !$omp parallel num_threads(2) shared(leaves)
  !$omp parallel num_threads(2) shared(leaves)
  !$omp critical
  leaves = leaves + 1
  !$omp end critical
  !$omp end parallel
  !$omp end parallel
  if (parts /= 2 .or. masters /= 1 .or. leaves /= 4) stop 1
  print '(a)', 'ok flang_sections'
end program
