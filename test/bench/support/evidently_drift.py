"""
Runs Evidently's DataDriftPreset with its default methods and thresholds on the data of `npm run bench -- drift`.
Argument: the directory with reference.bin (ten columns of 64-bit floats) and <cell>-<rows>.bin (ten columns of each
check). Prints, for each cell, the percentage of checks in which the data set, any column and the first column drifted.
"""
import json
import pathlib
import sys
import warnings

import numpy as np
import pandas as pd
from evidently import DataDefinition, Dataset, Report
from evidently.presets import DataDriftPreset

warnings.filterwarnings("ignore")
COLUMNS = 10
NAMES = [f"c{index}" for index in range(COLUMNS)]
DEFINITION = DataDefinition(numerical_columns=NAMES)


def dataset(values, rows):
    columns = values.reshape(COLUMNS, rows)
    return Dataset.from_pandas(pd.DataFrame(dict(zip(NAMES, columns))), data_definition=DEFINITION)


def is_drifted(metric):
    config = metric["config"]
    # A distance drifts at or above its threshold, a p-value below it.
    if "p_value" in config["method"]:
        return metric["value"] < config["threshold"]
    return metric["value"] >= config["threshold"]


directory = pathlib.Path(sys.argv[1])
reference = np.fromfile(directory / "reference.bin")
known = dataset(reference, len(reference) // COLUMNS)
files = sorted(directory.glob("*-*.bin"), key=lambda path: int(path.stem.split("-")[0]))
rates = []
for path in files:
    rows = int(path.stem.split("-")[1])
    hits = []
    for values in np.fromfile(path).reshape(-1, COLUMNS * rows):
        metrics = Report([DataDriftPreset()]).run(dataset(values, rows), known).dict()["metrics"]
        columns = [is_drifted(metric) for metric in metrics[1:]]
        hits.append([metrics[0]["value"]["share"] >= metrics[0]["config"]["drift_share"], any(columns), columns[0]])
    alarm, some, first = (100 * np.mean(hits, axis=0)).tolist()
    rates.append({"alarm": alarm, "any": some, "first": first})
print(json.dumps(rates))
