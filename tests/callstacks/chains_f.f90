! Call chains of Fortran, each said where it is; @mark stands for the line with that mark. Constructs come
! first in their functions: gfortran gives others the line of the statement before.
! run: threads=2
! build: flags=-O0
module steps
  implicit none
contains
  subroutine solve(around)
    character(len=*), intent(in) :: around
    !$omp parallel num_threads(2) ! @solve
    call say(around // ' > steps::solve > parallel @solve')
    !$omp end parallel
  end subroutine solve

  recursive subroutine deeper(depth, around)
    integer, intent(in) :: depth
    character(len=*), intent(in) :: around
    character(len=200) :: here
    here = around // ' > steps::deeper'
    if (depth > 0) then
      call deeper(depth - 1, trim(here))
    else
      call solve(trim(here))
    end if
    call nothing(here)
  end subroutine deeper

  subroutine spawn(around)
    character(len=*), intent(in) :: around
    !$omp task ! @task
    call say(around // ' > steps::spawn > task @task')
    !$omp end task
  end subroutine spawn

  subroutine tasks(around)
    character(len=*), intent(in) :: around
    !$omp parallel num_threads(2) ! @tasks
    call say(around // ' > steps::tasks > parallel @tasks')
    !$omp single
    call spawn(around // ' > steps::tasks > parallel @tasks')
    !$omp end single
    !$omp end parallel
  end subroutine tasks

  subroutine say(text)
    character(len=*), intent(in) :: text
    !$omp critical
    print '(a)', 'context: ' // text
    !$omp end critical
  end subroutine say

  subroutine nothing(text)
    character(len=*), intent(inout) :: text
    text = ' '
  end subroutine nothing
end module steps

program chains_f
  use steps
  implicit none
  character(len=20) :: here
  here = 'chains_f'
  call solve('chains_f')
  call deeper(2, 'chains_f')
  call tasks('chains_f')
  call nothing(here)
  print '(a)', 'ok chains_f'
end program chains_f
