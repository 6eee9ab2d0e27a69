-- The same of earlier runs, to compare with (changed.sql). First, which they are:
--   SET VARIABLE before = 'old/heat.*/trace-parquet';
CREATE OR REPLACE VIEW before_runs AS
SELECT * FROM read_parquet(getvariable('before') || '/rank=*/runs.parquet', hive_partitioning = true);
CREATE OR REPLACE VIEW before_sites AS
SELECT * FROM read_parquet(getvariable('before') || '/rank=*/sites.parquet', hive_partitioning = true);
CREATE OR REPLACE VIEW before_rollup AS
SELECT * FROM read_parquet(getvariable('before') || '/rank=*/rollup.parquet', hive_partitioning = true);
