-- The threads of a trace and what they did: every nanosecond of a thread's life once, by its
-- innermost slice. All other modules stand on this one.

-- Threads of the system that served OpenMP. A trace made with `--view regions` has none.
-- A worker lives from its first event to its last, a root as long as its initial task.
CREATE OR REPLACE PERFETTO TABLE ompttrace_thread AS
WITH
  outermost AS (
    SELECT
      track_id,
      max(name = 'thread begin' AND extract_arg(arg_set_id, 'debug.kind') = 'worker') AS is_worker,
      min(ts) AS first_ts,
      max(ts + dur) AS last_ts,
      min(iif(dur > 0, ts, NULL)) AS first_lasting_ts,
      max(iif(dur > 0, ts + dur, NULL)) AS last_lasting_ts
    FROM slice
    WHERE category GLOB 'openmp.*' AND depth = 0
    GROUP BY track_id
  )
SELECT
  o.track_id,
  t.upid,
  t.utid,
  t.name,
  o.is_worker,
  iif(o.is_worker, o.first_ts, coalesce(o.first_lasting_ts, o.first_ts)) AS begin_ts,
  iif(o.is_worker, o.last_ts, coalesce(o.last_lasting_ts, o.last_ts)) AS end_ts
FROM outermost AS o
JOIN thread_track AS tt ON tt.id = o.track_id
JOIN thread AS t USING (utid);

-- What a slice is, without where it stands: `for dynamic` of `heat.c:47 for dynamic`.
CREATE OR REPLACE PERFETTO FUNCTION ompttrace_what(name STRING)
RETURNS STRING AS
SELECT iif(first GLOB '*:[0-9]*', substr(name, length(first) + 2), name)
FROM (
  SELECT name, substr(name, 1, instr(name || ' ', ' ') - 1) AS first
  FROM (SELECT iif($name GLOB 'near *:[0-9]*', substr($name, 6), $name) AS name)
);

-- The same of all names: a trace has few.
CREATE OR REPLACE PERFETTO TABLE ompttrace_named AS
SELECT name, ompttrace_what(name) AS what
FROM (SELECT DISTINCT name FROM slice WHERE category GLOB 'openmp.*')
ORDER BY name;

-- What lasted on them; instants and what is shorter than the clock can measure are left out, and tests
-- of locks that failed: a thread that tests does not wait.
CREATE OR REPLACE PERFETTO TABLE ompttrace_slice AS
SELECT
  s.id,
  s.ts,
  s.dur,
  s.ts + s.dur AS end_ts,
  s.track_id,
  t.upid,
  s.parent_id,
  s.name,
  n.what,
  s.arg_set_id,
  CASE
    WHEN s.name = 'wait: tracing tool' THEN 'tool'
    WHEN s.category = 'openmp.mutex' THEN 'lock'
    WHEN s.category = 'openmp.sync' AND n.what GLOB 'wait*' THEN 'wait'
    WHEN s.name = 'initial task' THEN 'serial'
    ELSE 'work'
  END AS state
FROM slice AS s
JOIN ompttrace_thread AS t USING (track_id)
JOIN ompttrace_named AS n USING (name)
WHERE s.dur > 0 AND s.category GLOB 'openmp.*' AND n.what NOT GLOB 'test failed: *'
ORDER BY s.id;

-- `file.c:12` of a slice, null where its location is not known.
CREATE OR REPLACE PERFETTO FUNCTION ompttrace_location(arg_set_id LONG)
RETURNS STRING AS
SELECT
  replace(file, rtrim(file, replace(file, '/', '')), '') || ':' || line
FROM (
  SELECT
    extract_arg($arg_set_id, 'source.file_name') AS file,
    extract_arg($arg_set_id, 'source.line_number') AS line
);

-- A thread's life in intervals: where it was within a slice but in none of that slice's children,
-- and, for workers, in no slice at all (`idle`: no team had work for it). `construct` is what a user
-- calls it: a chunk is a part of its loop, and a root's serial section between two regions is named by
-- both.
CREATE OR REPLACE PERFETTO TABLE ompttrace_interval AS
WITH
  inner_slice AS (
    SELECT
      parent_id,
      ts,
      end_ts,
      name,
      lag(end_ts) OVER siblings AS before_end,
      lag(name) OVER siblings AS before,
      lead(ts) OVER siblings AS next_ts
    FROM ompttrace_slice
    WHERE parent_id IS NOT NULL
    WINDOW siblings AS (PARTITION BY parent_id ORDER BY ts, id)
  ),
  outer_slice AS (
    SELECT
      track_id,
      ts,
      end_ts,
      lag(end_ts) OVER siblings AS before_end,
      lead(ts) OVER siblings AS next_ts
    FROM ompttrace_slice
    WHERE parent_id IS NULL
    WINDOW siblings AS (PARTITION BY track_id ORDER BY ts, id)
  ),
  interval AS (
    SELECT p.track_id, p.upid, p.id AS slice_id, p.name, p.state, i.before, i.name AS after,
      coalesce(i.before_end, p.ts) AS ts, i.ts AS end_ts
    FROM inner_slice AS i JOIN ompttrace_slice AS p ON p.id = i.parent_id
    UNION ALL
    SELECT p.track_id, p.upid, p.id, p.name, p.state, i.name, NULL, i.end_ts, p.end_ts
    FROM inner_slice AS i JOIN ompttrace_slice AS p ON p.id = i.parent_id
    WHERE i.next_ts IS NULL
    UNION ALL
    SELECT track_id, upid, id, name, state, NULL, NULL, ts, end_ts
    FROM ompttrace_slice
    WHERE id NOT IN (SELECT parent_id FROM inner_slice)
    UNION ALL
    SELECT track_id, t.upid, NULL, 'idle', 'idle', NULL, NULL, coalesce(o.before_end, t.begin_ts), o.ts
    FROM outer_slice AS o JOIN ompttrace_thread AS t USING (track_id)
    WHERE t.is_worker
    UNION ALL
    SELECT track_id, t.upid, NULL, 'idle', 'idle', NULL, NULL, o.end_ts, t.end_ts
    FROM outer_slice AS o JOIN ompttrace_thread AS t USING (track_id)
    WHERE t.is_worker AND o.next_ts IS NULL
  )
SELECT
  row_number() OVER (ORDER BY p.track_id, p.ts) AS number,
  p.ts,
  p.end_ts - p.ts AS dur,
  p.end_ts,
  p.track_id,
  p.upid,
  p.slice_id,
  p.name,
  p.state,
  CASE
    WHEN p.state = 'serial' THEN
      'serial: ' || coalesce('after ' || p.before, 'from the start') || ', '
      || coalesce('before ' || p.after, 'to the end')
    WHEN s.what IN ('chunk', 'iteration', 'section', 'taskloop chunk', 'distribute chunk')
      THEN coalesce(o.name, p.name)
    ELSE p.name
  END AS construct
FROM interval AS p
LEFT JOIN ompttrace_slice AS s ON s.id = p.slice_id
LEFT JOIN ompttrace_slice AS o ON o.id = s.parent_id
WHERE p.end_ts > p.ts
ORDER BY p.track_id, p.ts;

-- Where each thread's time went, nanoseconds: `work` (in a region), `serial` (a root outside of
-- all regions), `wait` (barriers, taskwait), `lock`, `tool`, `idle`. Their sum is its life.
CREATE OR REPLACE PERFETTO TABLE ompttrace_thread_time AS
SELECT
  t.upid,
  t.name AS thread,
  t.end_ts - t.begin_ts AS life_ns,
  sum(iif(p.state = 'work', p.dur, 0)) AS work_ns,
  sum(iif(p.state = 'serial', p.dur, 0)) AS serial_ns,
  sum(iif(p.state = 'wait', p.dur, 0)) AS wait_ns,
  sum(iif(p.state = 'lock', p.dur, 0)) AS lock_ns,
  sum(iif(p.state = 'tool', p.dur, 0)) AS tool_ns,
  sum(iif(p.state = 'idle', p.dur, 0)) AS idle_ns
FROM ompttrace_thread AS t
LEFT JOIN ompttrace_interval AS p USING (track_id)
GROUP BY t.track_id
ORDER BY t.upid, t.track_id;

-- For every row of `$asked` (key, at, id) the greatest number of those rows of `$things`
-- (key, at, number) that have its key and are not later; numbers grow with time.
CREATE OR REPLACE PERFETTO MACRO ompttrace_last_before(things TableOrSubquery, asked TableOrSubquery)
RETURNS TableOrSubquery AS
(
  SELECT id, number
  FROM (
    SELECT
      id,
      max(number) OVER (PARTITION BY key ORDER BY at, is_asked ROWS UNBOUNDED PRECEDING) AS number
    FROM (
      SELECT key, at, number, NULL AS id, 0 AS is_asked FROM $things
      UNION ALL
      SELECT key, at, NULL, id, 1 FROM $asked
    )
  )
  WHERE id IS NOT NULL
);

-- The intervals in which a thread did not work, with their running sum for each thread.
CREATE OR REPLACE PERFETTO TABLE ompttrace_rest AS
SELECT
  row_number() OVER (ORDER BY track_id, ts) AS number,
  track_id,
  end_ts,
  sum(dur) OVER (PARTITION BY track_id ORDER BY ts) AS ns
FROM ompttrace_interval
WHERE state NOT IN ('work', 'serial')
ORDER BY track_id, ts;

-- How long, in each of `$spans` (id, track_id, ts, end_ts), its thread did not work. No interval may
-- reach across a span's begin or end.
CREATE OR REPLACE PERFETTO MACRO ompttrace_rest_within(spans TableOrSubquery)
RETURNS TableOrSubquery AS
(
  SELECT b.id, coalesce(late.ns, 0) - coalesce(early.ns, 0) AS ns
  FROM ompttrace_last_before!(
    (SELECT track_id AS key, end_ts AS at, number FROM ompttrace_rest),
    (SELECT track_id AS key, ts AS at, id FROM $spans)) AS b
  JOIN ompttrace_last_before!(
    (SELECT track_id AS key, end_ts AS at, number FROM ompttrace_rest),
    (SELECT track_id AS key, end_ts AS at, id FROM $spans)) AS e USING (id)
  LEFT JOIN ompttrace_rest AS early ON early.number = b.number
  LEFT JOIN ompttrace_rest AS late ON late.number = e.number
);
