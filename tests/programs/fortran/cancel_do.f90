! A loop that is cancelled.
! run: threads=4 env=OMP_CANCELLATION=true
! expect: parallel_begin=1 cancel:loop>=1
program cancel_do
  implicit none
  integer :: i, done
  done = 0
  !$omp parallel shared(done)
  !$omp do schedule(dynamic)
  do i = 1, 100000
    !$omp cancellation point do
    if (i == 10) then
      !$omp cancel do
    end if
    !$omp atomic
    done = done + 1
  end do
  !$omp end do
  !$omp end parallel
  if (done >= 100000) stop 1
  print '(a)', 'ok cancel_do'
end program
