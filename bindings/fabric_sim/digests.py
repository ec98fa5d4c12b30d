# SPDX-License-Identifier: GPL-2.0-only
"""Digests that tell contents apart, and whether files still have the contents of which a digest was taken."""
import dataclasses
import hashlib
import os
from collections.abc import Iterable


def short_digest(*parts: bytes) -> str:
    """@return twelve digits that tell contents apart"""
    return _shortened(hashlib.sha256(part).digest() for part in parts)


def _shortened(digests):
    """@return twelve digits of the digest of some digests"""
    return hashlib.sha256(b"".join(digests)).hexdigest()[:12]


@dataclasses.dataclass(frozen=True)
class Content:
    """What a file was at a time: its size and time of change, which are looked at first, and a digest of its bytes."""

    path: str
    size: int
    changed_ns: int
    digest: str

    def is_there(self) -> bool:
        """@return whether the file still has these bytes"""
        try:
            status = os.stat(self.path)
            return (status.st_size, status.st_mtime_ns) == (self.size, self.changed_ns) or digest_of_file(self.path) == self.digest
        except OSError:
            return False


def digest_of_file(path: str | os.PathLike) -> str:
    """@return a digest of the bytes of a file"""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def content_of(path: str | os.PathLike) -> Content:
    """@return what a file is now"""
    absolute = os.path.abspath(path)
    status = os.stat(absolute)
    return Content(absolute, status.st_size, status.st_mtime_ns, digest_of_file(absolute))


def code_of(contents: Iterable[Content]) -> str:
    """@return short_digest() of the bytes of files"""
    return _shortened(bytes.fromhex(content.digest) for content in contents)


def complaint_of_change(contents: Iterable[Content]) -> str | None:
    """@return the sentence about a file that has other bytes by now, or is gone, if there is one"""
    changed = next((content.path for content in contents if not content.is_there()), None)
    return changed and f"{changed}: the file is not what it was when the sweep was made; one that is made now takes it as it is"
