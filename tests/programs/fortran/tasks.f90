! Tasks: recursive, dependent, in a group and as a taskloop.
! run: threads=4
! expect: parallel_begin=1 task_create:explicit>=30
program tasks
  implicit none
  integer :: result, a, b, i, total
  total = 0
  !$omp parallel shared(total)
  !$omp single
  call fib(6, result)
  !$omp task depend(out: a)
  a = 1
  !$omp end task
  !$omp task depend(in: a)
  b = a + 1
  !$omp end task
  !$omp taskgroup
  !$omp task shared(total)
  !$omp atomic
  total = total + 1
  !$omp end task
  !$omp end taskgroup
  !$omp taskloop num_tasks(4) shared(total)
  do i = 1, 20
    !$omp atomic
    total = total + 1
  end do
  !$omp end taskloop
  !$omp end single
  !$omp end parallel
  if (result /= 8 .or. b /= 2 .or. total /= 21) stop 1
  print '(a)', 'ok tasks'
contains
  recursive subroutine fib(n, value)
    integer, intent(in) :: n
    integer, intent(out) :: value
    integer :: left, right
    if (n < 2) then
      value = n
      return
    end if
    !$omp task shared(left) firstprivate(n)
    call fib(n - 1, left)
    !$omp end task
    !$omp task shared(right) firstprivate(n)
    call fib(n - 2, right)
    !$omp end task
    !$omp taskwait
    value = left + right
  end subroutine
end program
