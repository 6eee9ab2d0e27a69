! A parallel loop of each schedule, with a reduction.
! run: threads=4
! expect: parallel_begin=3 parallel_end=3 implicit_task:implicit.begin=12
program parallel_do
  implicit none
  integer :: i, total
  total = 0
  !$omp parallel do reduction(+:total)
  do i = 1, 100
    total = total + i
  end do
  !$omp parallel do schedule(dynamic, 5) reduction(+:total)
  do i = 1, 100
    total = total + i
  end do
  !$omp parallel do schedule(guided) reduction(+:total)
  do i = 1, 100
    total = total + i
  end do
  if (total /= 15150) stop 1
  print '(a)', 'ok parallel_do'
end program
