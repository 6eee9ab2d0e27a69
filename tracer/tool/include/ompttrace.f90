! For Fortran programs that ompttrace traces: control of the recording, and phases.
!
!   call ompt_control(command)          start (1), pause (2), flush (3) or end (4) the recording
!   call ompttrace_phase_begin('solve') a phase of the calling thread begins; phases nest
!   call ompttrace_iteration(number)    an iteration of it begins, and the one before ends
!   call ompttrace_phase_end()          the innermost phase ends, and with it the last iteration
!
! Compile this file with the program and `use ompttrace`. It needs no library of ours: it looks at run time for libompttrace, for control
! also for the runtime's omp_control_tool, and does nothing without them.
module ompttrace
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: ompt_control, ompttrace_phase_begin, ompttrace_phase_end, ompttrace_iteration
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

  ! Functions of libompttrace: struct ompttrace_phase_functions of ompttrace.h.
  type, bind(c) :: phase_functions
    integer(c_int64_t) :: version
    type(c_funptr) :: begin, end, iteration
  end type

  abstract interface
    subroutine begins(name) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    subroutine ends() bind(c)
    end subroutine
    subroutine iterates(number) bind(c)
      import :: c_int64_t
      integer(c_int64_t), value :: number
    end subroutine
  end interface

  ! What was found, and how often it was looked for. Threads may look at the same time: all of them find the same.
  type(phase_functions), pointer, save :: found_functions => null()
  integer, save :: tries = 0
  ! Tries one after the other before only every so many calls try again.
  integer, parameter :: first_tries = 64, between_tries = 256
  ! RTLD_LAZY, and RTLD_NOLOAD with it, of Linux.
  integer(c_int), parameter :: lazily = 1, if_loaded = 5
  ! AT_SECURE of Linux.
  integer(c_long), parameter :: at_secure = 23

  interface
    function dlopen(name, mode) bind(c) result(library)
      import :: c_ptr, c_char, c_int
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: mode
      type(c_ptr) :: library
    end function
    function getauxval(what) bind(c) result(value)
      import :: c_long
      integer(c_long), value :: what
      integer(c_long) :: value
    end function
    function find_object(handle, name) bind(c, name='dlsym') result(address)
      import :: c_ptr, c_char
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr) :: address
    end function
    function dlsym(handle, name) bind(c) result(address)
      import :: c_ptr, c_funptr, c_char
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr) :: address
    end function
  end interface

  interface ompttrace_iteration
    module procedure iteration_of_default, iteration_of_64_bits
  end interface

contains

  ! The library that the variable of OpenMP names, which a runtime loads only with the first construct: phases may begin before it.
  ! Not in a program with rights that its user lacks, nor where tools are switched off.
  function open_named() result(library)
    type(c_ptr) :: library
    character(len=4096) :: names
    integer :: length, status, first, last
    library = c_null_ptr
    if (getauxval(at_secure) /= 0) return
    call get_environment_variable('OMP_TOOL', names, status=status)
    if (status == 0 .and. names == 'disabled') return
    call get_environment_variable('OMP_TOOL_LIBRARIES', names, length, status)
    if (status /= 0) return
    first = 1
    do while (first <= length)
      last = scan(names(first:length), ':') + first - 2
      if (last < first - 1) last = length
      if (index(names(first:last), 'libompttrace') /= 0) then
        library = dlopen(names(first:last) // c_null_char, lazily)
        return
      end if
      first = last + 2
    end do
  end function

  ! Looks for the functions; afterwards they are there, or null.
  subroutine find_phases()
    character(kind=c_char, len=*), parameter :: table = c_char_"ompttrace_phases" // c_null_char
    type(c_ptr) :: library, address
    tries = tries + 1
    if (tries > first_tries .and. mod(tries, between_tries) /= 0) return
    address = find_object(c_null_ptr, table)
    if (.not. c_associated(address)) then
      library = dlopen(c_char_"libompttrace.so" // c_null_char, if_loaded)
      if (.not. c_associated(library)) &
        library = dlopen(c_char_"libompttrace-gomp.so" // c_null_char, if_loaded)
      if (.not. c_associated(library)) library = open_named()
      if (c_associated(library)) address = find_object(library, table)
    end if
    if (c_associated(address)) call c_f_pointer(address, found_functions)
  end subroutine

  subroutine ompttrace_phase_begin(name)
    character(len=*), intent(in) :: name
    procedure(begins), pointer :: begin
    if (.not. associated(found_functions)) call find_phases()
    if (.not. associated(found_functions)) return
    call c_f_procpointer(found_functions%begin, begin)
    call begin(trim(name) // c_null_char)
  end subroutine

  subroutine ompttrace_phase_end()
    procedure(ends), pointer :: end_phase
    if (.not. associated(found_functions)) call find_phases()
    if (.not. associated(found_functions)) return
    call c_f_procpointer(found_functions%end, end_phase)
    call end_phase()
  end subroutine

  subroutine iteration_of_default(number)
    integer, intent(in) :: number
    call iteration_of_64_bits(int(number, c_int64_t))
  end subroutine

  subroutine iteration_of_64_bits(number)
    integer(c_int64_t), intent(in) :: number
    procedure(iterates), pointer :: iterate
    if (.not. associated(found_functions)) call find_phases()
    if (.not. associated(found_functions)) return
    call c_f_procpointer(found_functions%iteration, iterate)
    call iterate(number)
  end subroutine

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
