-- Load imbalance: what each thread of a team did in a work-sharing construct or a region, and how
-- long it then waited at the barrier behind it.

INCLUDE PERFETTO MODULE ompttrace.threads;

-- Threads of teams: which implicit task belongs to which region, and its thread number.
CREATE OR REPLACE PERFETTO TABLE ompttrace_team_thread AS
WITH
  region AS (
    SELECT id, name FROM ompttrace_slice WHERE what GLOB 'parallel*' OR what GLOB 'teams*'
  ),
  implicit AS (
    SELECT *, extract_arg(arg_set_id, 'debug.thread number') AS thread_num
    FROM ompttrace_slice
    WHERE what GLOB 'implicit task*'
  )
SELECT i.id AS implicit_id, r.id AS region_id, r.name AS region, i.track_id, i.upid, i.ts, i.end_ts,
  i.thread_num
FROM implicit AS i JOIN region AS r ON r.id = i.parent_id
UNION ALL
SELECT i.id, r.id, r.name, i.track_id, i.upid, i.ts, i.end_ts, i.thread_num
FROM flow AS f JOIN implicit AS i ON i.id = f.slice_in JOIN region AS r ON r.id = f.slice_out;

-- Every barrier of every team thread. `instance` counts a region's barriers: all threads meet them in
-- the same order. `construct` is what the thread did before: a loop, sections, single, else the region.
-- `arrival` is when it last stopped doing something (it may have run tasks inside the barrier).
CREATE OR REPLACE PERFETTO TABLE ompttrace_barrier AS
WITH
  step AS (
    SELECT id, ts, end_ts, parent_id, name, TRUE AS is_barrier
    FROM ompttrace_slice
    WHERE what GLOB 'barrier*'
    UNION ALL
    SELECT id, ts, ts + dur, parent_id, replace(name, 'single (other thread)', 'single'), FALSE
    FROM slice
    JOIN ompttrace_named USING (name)
    WHERE category = 'openmp.work' AND parent_id IS NOT NULL
      AND (what GLOB 'for*' OR what GLOB 'sections*' OR what GLOB 'single*' OR what GLOB 'workshare*'
        OR what GLOB 'masked*' OR what GLOB 'taskloop*' OR what GLOB 'scope*'
        OR what GLOB 'distribute*')
  ),
  follows AS (
    SELECT
      *,
      lag(iif(is_barrier, NULL, name)) OVER siblings AS work,
      sum(is_barrier) OVER siblings AS instance
    FROM step
    WINDOW siblings AS (PARTITION BY parent_id ORDER BY ts, id)
  ),
  waited AS (
    SELECT parent_id, sum(dur) AS wait_ns, max(ts) AS arrival
    FROM ompttrace_slice
    WHERE state = 'wait'
    GROUP BY parent_id
  )
SELECT
  b.id,
  b.ts,
  b.end_ts,
  m.track_id,
  m.upid,
  m.region_id,
  m.implicit_id,
  m.thread_num,
  b.instance,
  coalesce(b.work, m.region) AS construct,
  coalesce(w.wait_ns, 0) AS wait_ns,
  coalesce(w.arrival, b.end_ts) AS arrival
FROM follows AS b
JOIN ompttrace_team_thread AS m ON m.implicit_id = b.parent_id
LEFT JOIN waited AS w ON w.parent_id = b.id
WHERE b.is_barrier;

-- What team threads did between two barriers, and how long they waited at the second, by construct
-- and thread number: `busy_ns` is the time without waits, `calls` the number of barriers.
CREATE OR REPLACE PERFETTO TABLE ompttrace_load AS
WITH
  between_barriers AS (
    SELECT
      b.*,
      coalesce(lag(b.end_ts) OVER (PARTITION BY b.implicit_id ORDER BY b.ts), m.ts) AS begin_ts
    FROM ompttrace_barrier AS b
    JOIN ompttrace_team_thread AS m USING (implicit_id)
  ),
  rested AS (
    SELECT id, ns
    FROM ompttrace_rest_within!((SELECT id, track_id, begin_ts AS ts, end_ts FROM between_barriers))
  )
SELECT
  s.upid,
  s.construct,
  s.thread_num,
  count() AS calls,
  sum(s.end_ts - s.begin_ts - r.ns) AS busy_ns,
  sum(s.wait_ns) AS wait_ns
FROM between_barriers AS s
JOIN rested AS r USING (id)
GROUP BY s.upid, s.construct, s.thread_num
ORDER BY s.upid, s.construct, s.thread_num;

-- A line for each construct, the most waiting first. `imbalance` is the slowest thread's time over
-- the mean; `waiting` the share of the team's time that went into the barriers.
CREATE OR REPLACE PERFETTO TABLE ompttrace_imbalance AS
WITH
  ranked AS (
    SELECT
      *,
      row_number() OVER (PARTITION BY upid, construct ORDER BY busy_ns DESC) AS position
    FROM ompttrace_load
  )
SELECT
  upid,
  construct,
  count() AS threads,
  max(calls) AS calls,
  max(iif(position = 1, thread_num, NULL)) AS slowest,
  round(max(busy_ns) / avg(busy_ns), 2) AS imbalance,
  round(1.0 * sum(wait_ns) / (sum(wait_ns) + sum(busy_ns)), 3) AS waiting,
  sum(wait_ns) AS wait_ns,
  sum(busy_ns) AS busy_ns
FROM ranked
GROUP BY upid, construct
ORDER BY wait_ns DESC;

-- The waits at barriers as slices, for a track: named by the construct that the thread had finished.
CREATE OR REPLACE PERFETTO VIEW ompttrace_barrier_wait AS
SELECT w.ts, w.dur, b.construct AS name, b.track_id, t.name AS thread
FROM ompttrace_slice AS w
JOIN ompttrace_barrier AS b ON b.id = w.parent_id
JOIN ompttrace_thread AS t ON t.track_id = b.track_id
WHERE w.state = 'wait';
