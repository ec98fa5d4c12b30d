# SPDX-License-Identifier: GPL-2.0-only
"""Sizes of messages or flows put together, where there are many different ones."""
from collections.abc import Iterable

import numpy

MOST_SIZES = 30  # that stay apart
GROUPS = 20  # else, ascending by size, with as many messages in each, as the scripts of HPCC have it


class SizeBins:
    """Each size by itself, or groups of sizes with as many messages in each as equal sizes allow, called by the median of their sizes."""

    def __init__(self, sizes: Iterable[float], groups: int = GROUPS) -> None:
        """
        @param sizes of all messages that there are
        @param groups if there are more than 30 different sizes
        """
        ordered = numpy.sort(numpy.asarray(sizes))
        different = numpy.unique(ordered)
        self._apart = len(different) <= MOST_SIZES
        self._edges = different if self._apart else numpy.unique([part[0] for part in numpy.array_split(ordered, groups)])
        places = self._places(ordered)
        self.middles = different if self._apart else numpy.array([numpy.median(ordered[places == i]) for i in range(len(self._edges))])

    def middles_of(self, sizes: Iterable[float]) -> numpy.ndarray:
        """@return for each size what its group is called; the size itself where they stay apart"""
        return self.middles[self._places(numpy.asarray(sizes))]

    def _places(self, sizes):
        """@return the number of the group of each size"""
        return numpy.searchsorted(self._edges, sizes, "right").clip(1) - 1
