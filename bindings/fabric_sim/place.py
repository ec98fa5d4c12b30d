# SPDX-License-Identifier: GPL-2.0-only
"""Where the C++ library is, and the ns-3 that it was built against."""
import dataclasses
import json
import os
import pathlib
import re

PACKAGE = pathlib.Path(__file__).resolve().parent
CHECKOUT = PACKAGE.parent.parent  # where the package stands in one


class PlaceError(ImportError):
    """There is no library to load: one sentence."""


@dataclasses.dataclass(frozen=True)
class Place:
    """A library of the module, and its headers and those of its ns-3."""

    library: pathlib.Path
    include: pathlib.Path
    ns3_libraries: pathlib.Path
    ns3_include: pathlib.Path

    @property
    def ns3_version(self) -> tuple:
        """@return such as (3, 44)"""
        names = " ".join(path.name for path in self.ns3_libraries.glob("libns3*core*.so*"))
        found = re.search(r"libns3\.(\d+)(?:\.\d+)?-core|libns3-core\.so\.(\d+)", names)
        if not found:
            raise PlaceError(f"{self.ns3_libraries}: there is no core library of ns-3")
        return 3, int(found[1] or found[2])

    @property
    def standard(self) -> int:
        """@return the C++ standard that the headers of this ns-3 are for"""
        return 17 if self.ns3_version < (3, 41) else 20 if self.ns3_version < (3, 46) else 23


def place_of_build(build: str | os.PathLike) -> Place:
    """@return the library of a build folder of CMake"""
    build = pathlib.Path(build).resolve()
    library, cache = build / "lib/libfabric-sim.so", build / "CMakeCache.txt"
    if not library.exists() or not cache.exists():
        raise PlaceError(f"{build}: there is no lib/libfabric-sim.so; utils/build.sh builds it, and FABRIC_BUILD names another folder")
    found = re.search(r"^ns3_DIR:\w+=(.*)$", cache.read_text(encoding="utf-8"), re.M)
    if not found:
        raise PlaceError(f"{cache}: there is no ns3_DIR; is it a build of the module inside an ns-3 tree?")
    return Place(library, build / "include", *ns3_of(found[1]))


def ns3_of(cmake_folder: str | os.PathLike) -> tuple[pathlib.Path, pathlib.Path]:
    """@return folders of the libraries and of the headers of an ns-3, by the folder of its ns3Config.cmake"""
    libraries = pathlib.Path(cmake_folder).parent.parent
    roots = [folder for folder in libraries.parents if (folder / "include/ns3/core-module.h").exists()]
    if not roots:
        raise PlaceError(f"{cmake_folder}: the ns-3 that the library was built against is not there any more; `pip install --force-reinstall ./bindings` "
                         "builds it against another")
    return libraries, roots[0] / "include"


def find_place() -> Place:
    """@return the library that FABRIC_BUILD names, or that the package was installed with, or that of the checkout it stands in"""
    if "FABRIC_BUILD" in os.environ:
        build = pathlib.Path(os.environ["FABRIC_BUILD"])
        return place_of_build(build if build.exists() else CHECKOUT / build)
    installed = PACKAGE / "installed.json"
    if installed.exists():
        said = json.loads(installed.read_text(encoding="utf-8"))
        if "build" in said:
            return place_of_build(said["build"])
        return Place(PACKAGE / "native/lib/libfabric-sim.so", PACKAGE / "native/include", *ns3_of(said["ns3"]))
    return place_of_build(CHECKOUT / "build")
