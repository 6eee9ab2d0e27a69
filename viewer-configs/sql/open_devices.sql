-- The table of what devices did as well, where their drivers reported it. After open.sql.
CREATE OR REPLACE VIEW device_activity AS
SELECT * FROM read_parquet(getvariable('datasets') || '/rank=*/device_activity.parquet', hive_partitioning = true);
