-- The critical path: the chain of work that decided how long the run took. From the end of the run
-- backwards: a thread's work belongs to it until the thread had waited; then the path goes on with
-- the thread that ended that wait. Anything that is not on the path could be faster to no avail.
--
-- What ended a wait: at a barrier the team thread that came last; for a worker without a team the
-- thread that forked the region; for a lock the holder before; in front of a task its creation or the task
-- that it depended on; at the end of taskwait and taskgroup the task that ended last, of whichever
-- construct. Where that was no later than the wait's begin, the wait itself is on the path.

INCLUDE PERFETTO MODULE ompttrace.imbalance;
INCLUDE PERFETTO MODULE ompttrace.locks;

-- When a task segment could begin, and by whose doing.
CREATE OR REPLACE PERFETTO TABLE _ompttrace_task_cause AS
WITH
  cause AS (
    SELECT
      f.slice_in AS id,
      c.track_id AS cause_track,
      c.ts + c.dur AS cause_ts,
      row_number() OVER (PARTITION BY f.slice_in ORDER BY c.ts + c.dur DESC) AS position
    FROM flow AS f
    JOIN ompttrace_slice AS s ON s.id = f.slice_in
    JOIN slice AS c ON c.id = f.slice_out
    WHERE (s.what = 'task' OR s.what GLOB 'task *')
  )
SELECT id, cause_track, cause_ts FROM cause WHERE position = 1 ORDER BY id;

-- Waits in barriers, taskwait and taskgroup: those before a task, and those at the end.
CREATE OR REPLACE PERFETTO TABLE _ompttrace_sync_wait AS
WITH
  sibling AS (
    SELECT
      *,
      lead(id) OVER (PARTITION BY parent_id ORDER BY ts, id) AS next_id
    FROM ompttrace_slice
    WHERE parent_id IN (SELECT parent_id FROM ompttrace_slice WHERE state = 'wait')
  )
SELECT w.id, w.ts, w.end_ts, w.track_id, w.upid, w.parent_id, w.next_id
FROM sibling AS w
WHERE w.state = 'wait'
ORDER BY w.id;

-- The last team thread to arrive at each barrier.
CREATE OR REPLACE PERFETTO TABLE _ompttrace_last_arrival AS
WITH
  ranked AS (
    SELECT
      *,
      row_number() OVER (PARTITION BY region_id, instance ORDER BY arrival DESC) AS position
    FROM ompttrace_barrier
  )
SELECT b.id AS barrier_id, r.track_id AS cause_track, r.arrival AS cause_ts
FROM ompttrace_barrier AS b
JOIN ranked AS r USING (region_id, instance)
WHERE r.position = 1
ORDER BY b.id;

-- The last task segment that ended anywhere in the process before each final wait was over.
CREATE OR REPLACE PERFETTO TABLE _ompttrace_last_task AS
WITH
  ended AS (
    SELECT row_number() OVER (ORDER BY upid, end_ts) AS number, upid, track_id, end_ts
    FROM ompttrace_slice
    WHERE what = 'task' OR what GLOB 'task *'
  )
SELECT f.id, e.track_id AS cause_track, e.end_ts AS cause_ts
FROM ompttrace_last_before!(
  (SELECT upid AS key, end_ts AS at, number FROM ended),
  (SELECT upid AS key, end_ts AS at, id FROM _ompttrace_sync_wait WHERE next_id IS NULL)) AS f
JOIN ended AS e USING (number)
ORDER BY f.id;

-- The hold before each wait for a lock was over, and the holder's track.
CREATE OR REPLACE PERFETTO TABLE _ompttrace_holder_before AS
SELECT
  w.id,
  t.track_id AS cause_track,
  -- A thread may be gone before its lock is free.
  min(h.end_ts, t.end_ts) AS cause_ts
FROM ompttrace_last_before!(
  (SELECT lock_key AS key, ts AS at, number FROM ompttrace_hold),
  -- The hold that begins where the wait ends is the waiter's own.
  (SELECT lock_key AS key, end_ts - 1 AS at, id FROM ompttrace_lock_wait)) AS f
JOIN ompttrace_hold AS h USING (number)
JOIN ompttrace_lock_wait AS w USING (id)
JOIN ompttrace_thread AS t ON t.upid = w.upid AND t.name = h.thread
ORDER BY w.id;

-- Everything that kept a thread from working, in the order of each thread's time, with its cause.
CREATE OR REPLACE PERFETTO TABLE ompttrace_blocked AS
WITH
  blocked AS (
    SELECT w.ts, w.end_ts, w.track_id, w.upid,
      coalesce(t.cause_track, b.cause_track, l.cause_track) AS cause_track,
      coalesce(t.cause_ts, b.cause_ts, l.cause_ts) AS cause_ts,
      w.ts AS not_before
    FROM _ompttrace_sync_wait AS w
    LEFT JOIN _ompttrace_task_cause AS t ON t.id = w.next_id
    LEFT JOIN _ompttrace_last_arrival AS b ON b.barrier_id = w.parent_id AND w.next_id IS NULL
    LEFT JOIN _ompttrace_last_task AS l ON l.id = w.id
    UNION ALL
    SELECT w.ts, w.end_ts, w.track_id, w.upid, h.cause_track, h.cause_ts, w.ts
    FROM ompttrace_lock_wait AS w
    LEFT JOIN _ompttrace_holder_before AS h USING (id)
    UNION ALL
    -- A new thread begins after the fork that it was made for.
    SELECT p.ts, p.end_ts, p.track_id, p.upid, r.track_id, r.ts, 0
    FROM ompttrace_interval AS p
    LEFT JOIN ompttrace_team_thread AS m ON m.track_id = p.track_id AND m.ts = p.end_ts
    LEFT JOIN ompttrace_slice AS r ON r.id = m.region_id
    WHERE p.state = 'idle'
  )
SELECT
  row_number() OVER (ORDER BY track_id, end_ts, ts) AS number,
  ts,
  end_ts,
  track_id,
  upid,
  iif(cause_track != track_id AND cause_ts > not_before, cause_track, track_id) AS cause_track,
  -- A cause comes before its effect, if only by a nanosecond: the path never stands still.
  iif(cause_track != track_id AND cause_ts > not_before, min(cause_ts, end_ts - 1), ts) AS cause_ts
FROM blocked
ORDER BY track_id, end_ts, ts;

-- Where the path goes on behind each of them: the last time that the cause had been kept itself.
CREATE OR REPLACE PERFETTO TABLE _ompttrace_blocked_before AS
WITH
  ending AS (SELECT track_id AS key, end_ts AS at, number FROM ompttrace_blocked),
  root AS (
    SELECT upid, track_id, end_ts,
      row_number() OVER (PARTITION BY upid ORDER BY is_worker, end_ts DESC) AS position
    FROM ompttrace_thread
  )
SELECT f.id AS number, f.number AS before
FROM ompttrace_last_before!(ending,
  (SELECT cause_track AS key, cause_ts AS at, number AS id FROM ompttrace_blocked)) AS f
UNION ALL
-- The run's end has no number: minus the process's.
SELECT f.id, f.number
FROM ompttrace_last_before!(ending,
  (SELECT track_id AS key, end_ts AS at, -upid AS id FROM root WHERE position = 1)) AS f
ORDER BY number;

-- The path as segments of one thread each, the end of the run first.
CREATE OR REPLACE PERFETTO TABLE _ompttrace_path_segment AS
WITH
  RECURSIVE step(upid, position, number, track_id, until_ts) AS (
    SELECT upid, 0, -upid, track_id, end_ts
    FROM (
      SELECT upid, track_id, end_ts,
        row_number() OVER (PARTITION BY upid ORDER BY is_worker, end_ts DESC) AS position
      FROM ompttrace_thread
    )
    WHERE position = 1
    UNION ALL
    SELECT s.upid, s.position + 1, b.number, b.cause_track, b.cause_ts
    FROM step AS s
    -- CROSS JOIN keeps the order: each step is two look-ups, never a scan.
    CROSS JOIN _ompttrace_blocked_before AS f ON f.number = s.number
    CROSS JOIN ompttrace_blocked AS b ON b.number = f.before
  )
SELECT
  row_number() OVER (ORDER BY s.upid, s.position) AS id,
  s.upid,
  s.track_id,
  s.until_ts,
  coalesce(n.end_ts, t.begin_ts) AS from_ts,
  n.cause_ts AS kept_from_ts
FROM (
  SELECT *, lead(number) OVER (PARTITION BY upid ORDER BY position) AS next FROM step
) AS s
JOIN ompttrace_thread AS t USING (track_id)
LEFT JOIN ompttrace_blocked AS n ON n.number = s.next
ORDER BY s.upid, s.position;

-- The path as slices without gaps, for a track and for sums: what the thread did, or, where `state`
-- is `handover`, the time from the cause to its effect: the runtime's, or the system's.
CREATE OR REPLACE PERFETTO TABLE ompttrace_critical_path AS
WITH
  first_interval AS (
    SELECT * FROM ompttrace_last_before!(
      (SELECT track_id AS key, ts AS at, number FROM ompttrace_interval),
      (SELECT track_id AS key, from_ts AS at, id FROM _ompttrace_path_segment))
  ),
  last_interval AS (
    SELECT * FROM ompttrace_last_before!(
      (SELECT track_id AS key, ts AS at, number FROM ompttrace_interval),
      (SELECT track_id AS key, until_ts AS at, id FROM _ompttrace_path_segment))
  ),
  part AS (
    SELECT s.upid, s.track_id, max(p.ts, s.from_ts) AS ts, min(p.end_ts, s.until_ts) AS end_ts,
      p.construct AS name, p.state
    FROM first_interval AS f
    CROSS JOIN last_interval AS l USING (id)
    CROSS JOIN _ompttrace_path_segment AS s USING (id)
    CROSS JOIN ompttrace_interval AS p ON p.number BETWEEN f.number AND l.number
    UNION ALL
    SELECT upid, track_id, kept_from_ts, from_ts, 'handover', 'handover'
    FROM _ompttrace_path_segment
    WHERE kept_from_ts IS NOT NULL
  )
SELECT p.ts, p.end_ts - p.ts AS dur, p.upid, p.track_id, t.name AS thread, p.name, p.state
FROM part AS p
JOIN ompttrace_thread AS t USING (track_id)
WHERE p.end_ts > p.ts
ORDER BY p.ts;

-- What the path consists of, the longest first.
CREATE OR REPLACE PERFETTO TABLE ompttrace_critical_construct AS
SELECT
  upid,
  name AS construct,
  sum(dur) AS ns,
  round(1.0 * sum(dur) / sum(sum(dur)) OVER (PARTITION BY upid), 3) AS share,
  count(DISTINCT track_id) AS threads
FROM ompttrace_critical_path
GROUP BY upid, name
ORDER BY ns DESC;
