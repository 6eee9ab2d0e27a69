-- Tables of many runs, for DuckDB: views over the datasets that a pattern names. First, which they are:
--   SET VARIABLE datasets = 'heat.*/trace-parquet';
CREATE OR REPLACE VIEW runs AS
SELECT * FROM read_parquet(getvariable('datasets') || '/rank=*/runs.parquet', hive_partitioning = true);
CREATE OR REPLACE VIEW threads AS
SELECT * FROM read_parquet(getvariable('datasets') || '/rank=*/threads.parquet', hive_partitioning = true);
CREATE OR REPLACE VIEW sites AS
SELECT * FROM read_parquet(getvariable('datasets') || '/rank=*/sites.parquet', hive_partitioning = true);
CREATE OR REPLACE VIEW regions AS
SELECT * FROM read_parquet(getvariable('datasets') || '/rank=*/regions.parquet', hive_partitioning = true);
CREATE OR REPLACE VIEW rollup AS
SELECT * FROM read_parquet(getvariable('datasets') || '/rank=*/rollup.parquet', hive_partitioning = true);
