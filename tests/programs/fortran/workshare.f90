! workshare: array statements divided among the team, and a where.
! run: threads=4
! expect: parallel_begin=1 parallel_end=1
program workshare
  implicit none
  real :: a(100), b(100)
  b = 2
  !$omp parallel
  !$omp workshare
  a = b * 3
  where (a > 5) b = a + 1
  !$omp end workshare
  !$omp end parallel
  if (any(a /= 6) .or. any(b /= 7)) stop 1
  print '(a)', 'ok workshare'
end program
