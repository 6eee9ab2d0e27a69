! threadprivate module data with copyin, and a common block.
! run: threads=4
! expect: parallel_begin=2 implicit_task:implicit.begin=8
module kept
  implicit none
  integer :: mine = 5
  !$omp threadprivate(mine)
end module

program threadprivate
  use kept
  implicit none
  integer :: total
  total = 0
  !$omp parallel copyin(mine)
  mine = mine + 1
  !$omp end parallel
  !$omp parallel reduction(+:total)
  total = total + mine
  !$omp end parallel
  if (total /= 24) stop 1
  print '(a)', 'ok threadprivate'
end program
