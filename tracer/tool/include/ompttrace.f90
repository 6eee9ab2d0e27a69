! ompt_control for Fortran programs: start (1), pause (2), flush (3) or end (4) a recording.
!
! Compile this file with the program and `use ompttrace`. It needs no library of ours: at run time
! it takes libompttrace's own entry where that is visible, else the runtime's omp_control_tool, and
! does nothing without either.
module ompttrace
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: ompt_control
  integer, parameter, public :: ompttrace_start = 1, ompttrace_pause = 2
  integer, parameter, public :: ompttrace_flush = 3, ompttrace_end = 4

  abstract interface
    subroutine ours(command, modifier) bind(c)
      import :: c_int64_t
      integer(c_int64_t), value :: command, modifier
    end subroutine
    function runtimes(command, modifier, argument) bind(c) result(answer)
      import :: c_int, c_ptr
      integer(c_int), value :: command, modifier
      type(c_ptr), value :: argument
      integer(c_int) :: answer
    end function
  end interface

  interface
    function dlsym(handle, name) bind(c) result(address)
      import :: c_ptr, c_funptr, c_char
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr) :: address
    end function
  end interface

contains

  subroutine ompt_control(command, modifier)
    integer, intent(in) :: command
    integer, intent(in), optional :: modifier
    procedure(ours), pointer :: control
    procedure(runtimes), pointer :: control_tool
    type(c_funptr) :: found
    integer :: more
    integer(c_int) :: answer
    more = 0
    if (present(modifier)) more = modifier
    found = dlsym(c_null_ptr, c_char_"ompt_control" // c_null_char)
    if (c_associated(found)) then
      call c_f_procpointer(found, control)
      call control(int(command, c_int64_t), int(more, c_int64_t))
      return
    end if
    found = dlsym(c_null_ptr, c_char_"omp_control_tool" // c_null_char)
    if (c_associated(found)) then
      call c_f_procpointer(found, control_tool)
      answer = control_tool(int(command, c_int), int(more, c_int), c_null_ptr)
    end if
  end subroutine
end module
