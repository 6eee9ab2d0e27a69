! An ordered loop and a doacross loop.
! run: threads=4
! expect: mutex_acquired:ordered=12 mutex_released:ordered=12
program ordered
  implicit none
  integer :: i, next, chain(0:12)
  logical :: in_order
  next = 1
  in_order = .true.
  !$omp parallel do ordered schedule(dynamic)
  do i = 1, 12
    !$omp ordered
    if (next /= i) in_order = .false.
    next = next + 1
    !$omp end ordered
  end do
  chain(0) = 0
  !$omp parallel do ordered(1) schedule(static, 1)
  do i = 1, 12
    !$omp ordered depend(sink: i - 1)
    chain(i) = chain(i - 1) + 1
    !$omp ordered depend(source)
  end do
  if (.not. in_order .or. chain(12) /= 12) stop 1
  print '(a)', 'ok ordered'
end program
