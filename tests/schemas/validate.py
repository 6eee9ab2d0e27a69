"""Says what of JSON does not follow a schema, a line for each fault. usage: SCHEMA < JSON"""
import json
import sys

from jsonschema import Draft202012Validator

with open(sys.argv[1]) as file:
    schema = json.load(file)
Draft202012Validator.check_schema(schema)
for error in Draft202012Validator(schema).iter_errors(json.load(sys.stdin)):
    print(error.json_path, error.message[:300])
