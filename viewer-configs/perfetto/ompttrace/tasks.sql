-- Explicit tasks: how many, how long, how soon after their creation, and whether they moved.

INCLUDE PERFETTO MODULE ompttrace.threads;

-- A line for each task that ran. `run_ns` is what its segments took, without what it waited for
-- inside; `queued_ns` the time from its creation to its first segment; `moved` whether any of it ran
-- on another thread than the one that created it. One flow leads from a task's creation through
-- all its segments.
CREATE OR REPLACE PERFETTO TABLE ompttrace_task AS
WITH
  segment AS (
    -- From all slices: a task may be shorter than the clock can measure. The names that are left out
    -- are those of instants.
    SELECT
      s.id,
      t.upid,
      s.track_id,
      s.ts,
      s.ts + s.dur AS end_ts,
      s.dur,
      s.name,
      extract_arg(s.arg_set_id, 'debug.task') AS task,
      extract_arg(s.arg_set_id, 'debug.segment') IS NOT NULL AS resumed
    FROM slice AS s
    JOIN ompttrace_thread AS t USING (track_id)
    JOIN ompttrace_named AS n USING (name)
    WHERE s.category = 'openmp.task' AND n.what GLOB 'task*' AND n.what NOT IN (
      'task complete', 'task yields', 'task cancelled', 'task detached', 'task fulfilled early',
      'task switch', 'task status', 'task dependence')
  ),
  creation AS (
    SELECT f.trace_id AS chain, c.track_id, c.ts, f.slice_in
    FROM flow AS f
    JOIN slice AS c ON c.id = f.slice_out
    JOIN ompttrace_named AS n USING (name)
    WHERE c.category = 'openmp.task' AND n.what GLOB 'create *'
  ),
  resumption AS (
    SELECT f.trace_id AS chain, f.slice_out, f.slice_in
    FROM flow AS f
    JOIN segment AS s ON s.id = f.slice_in
    WHERE s.resumed
  ),
  chained AS (
    SELECT id, min(chain) AS chain
    FROM (
      SELECT slice_in AS id, chain FROM creation
      UNION ALL
      SELECT slice_in, chain FROM resumption
      UNION ALL
      SELECT slice_out, chain FROM resumption
    )
    GROUP BY id
  ),
  rested AS (
    SELECT id, ns
    FROM ompttrace_rest_within!((SELECT id, track_id, ts, end_ts FROM segment))
  )
SELECT
  s.upid,
  min(s.task) AS task,
  s.name,
  min(s.ts) AS ts,
  max(s.end_ts) AS end_ts,
  count() AS segments,
  count(DISTINCT s.track_id) AS threads,
  sum(s.dur) - coalesce(sum(r.ns), 0) AS run_ns,
  c.ts AS created_ts,
  min(s.ts) - c.ts AS queued_ns,
  max(c.track_id != s.track_id) AS moved
FROM segment AS s
LEFT JOIN chained AS h ON h.id = s.id
LEFT JOIN creation AS c ON c.chain = h.chain
LEFT JOIN rested AS r ON r.id = s.id
GROUP BY s.upid, coalesce(h.chain, s.id);

-- A line for each task construct. `fine` is the share of tasks that ran for less than 10 us, where
-- making and scheduling a task costs as much as it does.
CREATE OR REPLACE PERFETTO TABLE ompttrace_task_construct AS
SELECT
  upid,
  name AS construct,
  count() AS tasks,
  sum(run_ns) AS run_ns,
  cast(avg(run_ns) AS INTEGER) AS mean_ns,
  min(run_ns) AS shortest_ns,
  max(run_ns) AS longest_ns,
  round(avg(run_ns < 10000), 3) AS fine,
  cast(avg(queued_ns) AS INTEGER) AS mean_queued_ns,
  sum(moved) AS moved,
  sum(segments) AS segments
FROM ompttrace_task
GROUP BY upid, name
ORDER BY run_ns DESC;

-- How many tasks ran how long: powers of ten, `at_least_ns` inclusive.
CREATE OR REPLACE PERFETTO TABLE ompttrace_task_grain AS
WITH
  decade(at_least_ns, below_ns) AS (
    VALUES (0, 100), (100, 1000), (1000, 10000), (10000, 100000), (100000, 1000000),
      (1000000, 10000000), (10000000, 100000000), (100000000, 9223372036854775807)
  )
SELECT t.upid, t.name AS construct, d.at_least_ns, count() AS tasks, sum(t.run_ns) AS run_ns
FROM ompttrace_task AS t
JOIN decade AS d ON t.run_ns >= d.at_least_ns AND t.run_ns < d.below_ns
GROUP BY t.upid, t.name, d.at_least_ns
ORDER BY t.upid, t.name, d.at_least_ns;

-- Tasks created and not yet begun, over time, for a counter track.
CREATE OR REPLACE PERFETTO VIEW ompttrace_tasks_queued AS
SELECT ts, upid, sum(step) OVER (PARTITION BY upid ORDER BY ts) AS value
FROM (
  SELECT created_ts AS ts, upid, 1 AS step FROM ompttrace_task WHERE created_ts IS NOT NULL
  UNION ALL
  SELECT ts, upid, -1 FROM ompttrace_task WHERE created_ts IS NOT NULL
)
ORDER BY ts;
