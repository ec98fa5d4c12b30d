# SPDX-License-Identifier: GPL-2.0-only
"""Values of Python as texts of command lines, the same wherever they are taken."""
from typing import Any


def plain(value: Any) -> Any:
    """@return a number or an array of numpy or pandas as one of Python, or a list of such; anything else as it is"""
    return value.tolist() if hasattr(value, "tolist") else value


def is_plain(value: Any) -> bool:
    """@return whether a value has a text on a command line: a text, a number, True, False, or a list of them"""
    value = plain(value)
    return isinstance(value, (str, bool, int, float)) or (isinstance(value, (list, tuple)) and all(map(is_plain, value)))


def argument_text(value: Any) -> str:
    """@return it as it is written on a command line: `true`, and `4,4` of a list"""
    value = plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(map(argument_text, value))
    return str(value)


def seconds_text(seconds: float) -> str:
    """@return a number of seconds as a text, to the picosecond in which a fabric counts"""
    return f"{seconds * 1e12:.0f}ps"
