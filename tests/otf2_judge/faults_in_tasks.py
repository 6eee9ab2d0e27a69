"""Faults in the lives of tasks and locks."""

from good import INNER, OUTER, TASK
from good_messages import FREE_COMM, FREE_GROUP
from making import NONE, OPENMP
from spoiling import defect, drop, find, insert, recount, replace


@defect("task-not-created", "task-open-at-end")
def task_switched_to_without_creation(archive):
    insert(archive, 2, 410, "ThreadTaskSwitch", INNER, 1, 5)
    insert(archive, 2, 420, "ThreadTaskSwitch", INNER, 1, 0)


@defect("task-not-created", "task-open-at-end")
def task_not_created_at_the_time_of_a_join(archive):
    """The join must wait for the end of the team, although what comes before that end is wrong."""
    for generation in 0, 5:
        event = (550, "ThreadTaskSwitch", (OUTER, generation == 0, generation), ())
        archive.events[1].insert(find(archive, 1, 550, "ThreadTeamEnd") - (generation > 0), event)
    recount(archive, 1)


@defect("task-created-twice")
def task_created_twice(archive):
    insert(archive, 0, 267, "ThreadTaskCreate", OUTER, 0, 2)


@defect("task-creator", "task-open-at-end")
def task_created_by_another_thread(archive):
    insert(archive, 0, 267, "ThreadTaskCreate", OUTER, 1, 4)


@defect("task-generation")
def task_created_as_generation_0(archive):
    insert(archive, 0, 267, "ThreadTaskCreate", OUTER, 0, 0)


@defect("task-generation")
def task_of_generation_0_completed(archive):
    insert(archive, 0, 267, "ThreadTaskComplete", OUTER, 0, 0)


@defect("task-runs-elsewhere")
def task_completed_while_it_runs_elsewhere(archive):
    insert(archive, 0, 510, "ThreadTaskCreate", OUTER, 0, 9)
    insert(archive, 1, 520, "ThreadTaskSwitch", OUTER, 0, 9)
    insert(archive, 0, 530, "ThreadTaskComplete", OUTER, 0, 9)
    insert(archive, 1, 540, "ThreadTaskSwitch", OUTER, 1, 0)


@defect("task-completed-twice")
def task_completed_twice(archive):
    insert(archive, 0, 491, "ThreadTaskComplete", OUTER, 0, 2)


@defect("task-after-completion", "task-open-at-end")
def task_runs_after_its_completion(archive):
    insert(archive, 0, 495, "ThreadTaskSwitch", OUTER, 0, 2)
    insert(archive, 0, 496, "ThreadTaskSwitch", OUTER, 0, 0)


@defect("complete-with-open-regions")
def task_completed_with_regions_open(archive):
    drop(archive, 1, 340, "Leave", TASK)


@defect("task-runs-elsewhere")
def task_runs_at_two_locations(archive):
    insert(archive, 1, 290, "ThreadTaskSwitch", OUTER, 0, 1)


@defect("task-open-at-end")
def task_never_completed(archive):
    drop(archive, 0, 490, "ThreadTaskComplete")


@defect()
def task_never_completed_as_the_archive_says(archive):
    """No fault: the recording was cut."""
    drop(archive, 0, 490, "ThreadTaskComplete")
    archive.properties["OMPTTRACE::UNFINISHED_TASKS"] = "1"


@defect("task-open-at-end")
def more_tasks_never_completed_than_the_archive_says(archive):
    drop(archive, 0, 341, "ThreadTaskComplete")
    drop(archive, 0, 490, "ThreadTaskComplete")
    archive.properties["OMPTTRACE::UNFINISHED_TASKS"] = "1"


@defect("unfinished-tasks")
def task_said_to_be_unfinished_is_not(archive):
    archive.properties["OMPTTRACE::UNFINISHED_TASKS"] = "1"


@defect("no-task-runs")
def nothing_runs_after_a_completion(archive):
    drop(archive, 0, 118, "ThreadTaskSwitch")


@defect("switch-to-other-implicit-task")
def switch_to_the_implicit_task_of_another_thread(archive):
    replace(archive, 1, (340, "ThreadTaskSwitch"), 340, "ThreadTaskSwitch", OUTER, 0, 0)


@defect("task-of-other-team", "task-open-at-end")
def task_of_another_team(archive):
    # The comm is location 2 alone, which is in the team of INNER.
    none = archive.string("")
    archive.define("Group", FREE_GROUP, none, 5, OPENMP, 0, [2])
    archive.define("Comm", FREE_COMM, none, FREE_GROUP, NONE, 0)
    insert(archive, 2, 410, "ThreadTaskCreate", FREE_COMM, 0, 1)


@defect("release-without-acquire")
def release_without_acquire(archive):
    insert(archive, 0, 375, "ThreadReleaseLock", OPENMP, 1, 1)


@defect("release-without-acquire", "lock-open-at-end")
def release_with_another_order(archive):
    replace(archive, 0, (375, "ThreadReleaseLock"), 375, "ThreadReleaseLock", OPENMP, 1, 2)


@defect("lock-order")
def acquisition_order_goes_back(archive):
    insert(archive, 0, 375, "ThreadAcquireLock", OPENMP, 0, 2)
    insert(archive, 0, 375, "ThreadReleaseLock", OPENMP, 0, 2)


@defect("lock-open-at-end")
def lock_never_released(archive):
    drop(archive, 0, 375, "ThreadReleaseLock")
