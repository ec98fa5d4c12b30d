# SPDX-License-Identifier: GPL-2.0-only
"""Figures of tables: percentiles, slowdowns, and what several seeds say together."""
import math
import statistics
from collections.abc import Iterable, Sequence

import pandas

from .size_bins import SizeBins

PERCENTILES = (50, 90, 99, 99.9)
NO_VALUES = "there are no values to take a percentile of"

# Student's t for a confidence of 95 % on both sides, by degrees of freedom from 1; any table of statistics has it.
STUDENT_95 = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281, 2.2010, 2.1788, 2.1604, 2.1448, 2.1314,
              2.1199, 2.1098, 2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423)


def nearest_rank(values: Iterable[float], percent: float) -> float:
    """@return the smallest of the values that at least so many percent of them do not exceed, as the programs have it"""
    ordered = sorted(values)
    if not ordered:
        raise ValueError(NO_VALUES)
    if not 0 <= percent <= 100:
        raise ValueError(f"a percentile of {percent}: allowed is 0 to 100")
    # In thousandths of a percent, so that the rank is exact.
    return ordered[max(0, -(-len(ordered) * round(percent * 1000) // 100000) - 1)]


def percentiles(table: pandas.DataFrame, column: str = "fct_s", which: Iterable[float] = PERCENTILES,
                by: Iterable[str] = ()) -> pandas.DataFrame:
    """
    @param table of messages or flows, such as messages.csv
    @param column whose percentiles are wanted
    @param which of them
    @param by columns whose values get a row of their own each, such as ["traffic_class"]
    @return one row for each, with the columns count, p50, p90, ...; where the column is empty, as the time of an operation that failed, is no value
    """
    def figures(values):
        return pandas.Series({"count": len(values), **{f"p{each:g}": nearest_rank(values, each) for each in which}})
    by = [by] if isinstance(by, str) else list(by)
    missing = [name for name in [column, *by] if name not in table]
    if missing:
        raise ValueError(f"the table has no column {missing[0]}; it has {', '.join(map(str, table.columns))}")
    table = table.dropna(subset=[column])
    if not by:
        return figures(table[column]).to_frame().T
    if table.empty:
        raise ValueError(NO_VALUES)
    return table.groupby(by)[column].apply(figures).unstack()


def slowdowns(messages: pandas.DataFrame, which: Iterable[float] = PERCENTILES, bins: SizeBins | None = None) -> pandas.DataFrame:
    """
    @param messages table with slowdown and bytes
    @param which percentiles
    @param bins of sizes, for several tables with the same ones; without them those of this table
    @return the percentiles of the slowdowns of messages by their size in bytes; of more than 30 different sizes, by the medians of twenty groups of them; those without a slowdown, by SDMA, don't count
    """
    missing = [name for name in ("slowdown", "bytes") if name not in messages]
    if missing:
        raise ValueError(f"the table has no column {missing[0]}; it has {', '.join(map(str, messages.columns))}")
    messages = messages.dropna(subset=["slowdown"])
    if messages.empty:
        raise ValueError(NO_VALUES)
    bins = bins or SizeBins(messages["bytes"])
    return percentiles(messages.assign(bytes=bins.middles_of(messages["bytes"])), "slowdown", which, ["bytes"])


def half_width_95(values: Sequence[float]) -> float:
    """@return how far the mean of some values may be off with a confidence of 95 %, by Student's t; not a number for one value"""
    if len(values) < 2:
        return math.nan
    freedom = len(values) - 1
    if freedom <= len(STUDENT_95):
        factor = STUDENT_95[freedom - 1]
    else:  # beyond the table the first terms of the expansion at the normal quantile are exact to four digits
        z = statistics.NormalDist().inv_cdf(0.975)
        factor = z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    return factor * statistics.stdev(values) / math.sqrt(len(values))


def median_interval_95(values: Sequence[float]) -> tuple[float, float]:
    """
    @return two of the values between which the median of all seeds lies with a confidence of at least 95 %, whatever the distribution is (by
        order statistics); not numbers for fewer than six values
    """
    ordered, count = sorted(values), len(values)
    outside, samples = 0, 1  # of 2^count samples so many have at most `outside` values below the median
    while 40 * samples <= 2**count:  # 2.5 %
        outside += 1
        samples += math.comb(count, outside)
    return (ordered[outside - 1], ordered[-outside]) if outside else (math.nan, math.nan)


def over_seeds(table: pandas.DataFrame) -> pandas.DataFrame:
    """
    @param table of a sweep
    @return one row for what differs in the seed alone: runs, median, min, max, the median's 95 % confidence interval (median_ci95_...) from six
        seeds on, mean, and the mean's (ci95_...), which takes the values for normally distributed: of few seeds it may reach below zero
    """
    keys = [column for column in table.columns if column not in ("run", "seed", "value")]

    def figures(values):
        mean, width = values.mean(), half_width_95(values)
        low, high = median_interval_95(values)
        return {"runs": len(values), "median": values.median(), "min": values.min(), "max": values.max(),
                "median_ci95_low": low, "median_ci95_high": high, "mean": mean, "ci95_low": mean - width, "ci95_high": mean + width}
    groups = table.groupby(keys, sort=False, dropna=False)["value"]
    rows = [dict(zip(keys, key)) | figures(values) for key, values in groups]
    return pandas.DataFrame(rows, columns=[*keys, "runs", "median", "min", "max", "median_ci95_low", "median_ci95_high", "mean", "ci95_low", "ci95_high"])
