"""Faults of nesting: regions, the program, forks and teams."""

from good import BARRIER, INNER, LOOP, NESTED, OUTER, SERIAL, WORK
from good_messages import FREE_COMM, FREE_GROUP
from making import NONE, OPENMP
from spoiling import END, defect, drop, find, find_last, insert, recount, redefine, replace


@defect("leave-not-innermost")
def leave_missing(archive):
    drop(archive, 0, 250, "Leave", LOOP)


@defect("leave-not-entered", "leave-not-innermost")
def leave_of_another_region(archive):
    replace(archive, 0, (250, "Leave", LOOP), 250, "Leave", BARRIER)


@defect("leave-not-entered")
def leave_too_much(archive):
    insert(archive, 2, END, "Leave", NESTED)


@defect("leave-of-other-task")
def leave_on_the_stack_of_another_task(archive):
    insert(archive, 0, 262, "Enter", LOOP)
    insert(archive, 0, 275, "Leave", LOOP)
    insert(archive, 0, 371, "Leave", LOOP)


@defect("region-open-at-end")
def region_open_at_the_end(archive):
    insert(archive, 2, END, "Enter", WORK)


@defect("program-open-at-end")
def program_without_end(archive):
    drop(archive, 0, 700, "ProgramEnd")


@defect("program-end")
def program_end_without_begin(archive):
    insert(archive, 2, END, "ProgramEnd", 0)


@defect("program-end")
def program_ends_inside_a_region(archive):
    insert(archive, 0, END, "Enter", WORK)
    insert(archive, 0, 700, "Leave", WORK)


@defect("team-open-at-end", "join-before-team-end")
def team_end_missing(archive):
    drop(archive, 1, 550, "ThreadTeamEnd")


@defect("join-before-team-end")
def team_end_after_the_join(archive):
    replace(archive, 1, (550, "ThreadTeamEnd"), 551, "ThreadTeamEnd", OUTER)


@defect("team-end-with-open-regions")
def team_end_with_a_region_open(archive):
    drop(archive, 2, 480, "Leave", NESTED)


@defect("team-end-inside-task", "task-open-at-end")
def team_end_inside_a_task(archive):
    insert(archive, 0, 510, "ThreadTaskCreate", OUTER, 0, 9)
    insert(archive, 0, 520, "ThreadTaskSwitch", OUTER, 0, 9)


@defect("team-end-of-other")
def team_end_of_another_team(archive):
    replace(archive, 0, (550, "ThreadTeamEnd"), 550, "ThreadTeamEnd", SERIAL)


@defect("team-end-without-begin")
def team_end_without_begin(archive):
    insert(archive, 2, END, "ThreadTeamEnd", INNER)


@defect("team-of-others")
def team_begin_of_a_location_that_is_no_member(archive):
    insert(archive, 2, 510, "ThreadTeamBegin", OUTER)
    insert(archive, 2, 520, "ThreadTeamEnd", OUTER)


@defect("team-without-fork")
def team_begin_without_fork(archive):
    insert(archive, 1, END, "ThreadTeamBegin", OUTER)
    insert(archive, 1, END, "ThreadTeamEnd", OUTER)


@defect("team-without-fork")
def team_begin_in_a_fork_of_another_parent(archive):
    redefine(archive, "Comm", INNER, (INNER, archive.string(""), 3, NONE, 0))


@defect("team-without-fork")
def team_begin_in_a_fork_outside_of_its_parent(archive):
    redefine(archive, "Comm", OUTER, (OUTER, archive.string(""), 2, 3, 0))


@defect("team-overlap")
def team_begin_inside_another_team(archive):
    # Locations 1 and 2 both fork, and both call for each other.
    none = archive.string("")
    archive.define("Group", FREE_GROUP, none, 5, OPENMP, 0, [2, 1])
    archive.define("Comm", FREE_COMM, none, FREE_GROUP, INNER, 0)
    insert(archive, 2, 405, "ThreadFork", OPENMP, 2)
    for location in 1, 2:
        insert(archive, location, 410, "ThreadTeamBegin", FREE_COMM)
        insert(archive, location, 415, "ThreadTeamEnd", FREE_COMM)
    insert(archive, 2, 420, "ThreadJoin", OPENMP)


@defect("team-member-missing")
def team_member_never_begins(archive):
    drop(archive, 1, 500, "ThreadTeamBegin")
    drop(archive, 1, 550, "ThreadTeamEnd")


@defect("fork-open-at-end", "program-end")
def join_missing(archive):
    drop(archive, 0, 550, "ThreadJoin")


@defect("join-without-fork")
def join_without_fork(archive):
    insert(archive, 2, END, "ThreadJoin", OPENMP)


@defect("join-with-open-regions")
def join_inside_a_region(archive):
    insert(archive, 1, 480, "Leave", NESTED)
    events = archive.events[1]
    events.insert(find(archive, 1, 480, "ThreadJoin"), (480, "Enter", (NESTED,), ()))
    events.pop(find_last(archive, 1, 480, "Leave"))
    recount(archive, 1)
