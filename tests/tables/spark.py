"""Runs queries by Spark on a cluster of two workers on this machine: DATASETS QUERY... One JSON object a query."""
import json
import sys
import time

from pyspark.sql import SparkSession
from pyspark.sql import functions

datasets, queries = sys.argv[1], sys.argv[2:]
session = (
    SparkSession.builder.master("local-cluster[2,1,1024]")
    .config("spark.ui.enabled", "false")
    .config("spark.executor.memory", "1g")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.sql.shuffle.partitions", "4")
    .getOrCreate()
)
session.sparkContext.setLogLevel("ERROR")
for table in ("runs", "threads", "sites", "regions", "rollup"):
    frame = session.read.parquet(f"{datasets}/rank=*/{table}.parquet")
    # Folders of several runs have no common root of their own, by which Spark would know the ranks.
    path = functions.regexp_extract("_metadata.file_path", "rank=([0-9]+)", 1)
    frame = frame.withColumn("rank", path.cast("bigint"))
    frame.createOrReplaceTempView(table)
    frame.createOrReplaceTempView(f"before_{table}")
executors = session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
for query in queries:
    since = time.monotonic()
    with open(query) as file:
        result = session.sql(file.read())
    rows = [list(row) for row in result.collect()]
    seconds = time.monotonic() - since
    print(json.dumps({"columns": result.columns, "rows": rows, "seconds": seconds, "workers": executors}), flush=True)
session.stop()
