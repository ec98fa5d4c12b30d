# SPDX-License-Identifier: GPL-2.0-only
"""Builds the C++ library and puts it into the package, or names the build folder of FABRIC_BUILD."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sysconfig

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build-python"


def found_ns3():
    """@return the folder of ns3Config.cmake that is asked for or stands beside pip, None to let CMake look"""
    beside = pathlib.Path(sysconfig.get_path("purelib")) / "ns3"
    named = [os.environ["ns3_DIR"]] if "ns3_DIR" in os.environ else []
    return next(iter([*named, *(str(folder) for folder in beside.glob("lib*/cmake/ns3"))]), None)


def build_library(prefix):
    """Builds and installs the library. @return the folder of the ns3Config.cmake that it was built against"""
    ns3 = found_ns3()
    subprocess.run(["cmake", "--fresh", "-G", "Ninja", "-S", ROOT, "-B", BUILD, "-DFABRIC_PROGRAMS=OFF", "-DFABRIC_TESTS=OFF",
                    "-DCMAKE_INSTALL_LIBDIR=lib", *([f"-Dns3_DIR={ns3}"] if ns3 else [])], check=True)
    subprocess.run(["cmake", "--build", BUILD], check=True)
    subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True)
    return re.search(r"^ns3_DIR:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(encoding="utf-8"), re.M)[1]


class BuildWithLibrary(build_py):
    """The Python files, and the C++ library."""

    def run(self):
        package = pathlib.Path(self.build_lib).resolve() / "fabric_sim"
        shutil.rmtree(package, ignore_errors=True)  # what an earlier installation left
        super().run()
        if "FABRIC_BUILD" in os.environ:
            installed = {"build": str(pathlib.Path(os.environ["FABRIC_BUILD"]).resolve())}
        else:
            installed = {"ns3": build_library(package / "native")}
        (package / "installed.json").write_text(json.dumps(installed), encoding="utf-8")


class NativeDistribution(Distribution):
    """Has a library for one kind of machine."""

    def has_ext_modules(self):
        return True


setup(cmdclass={"build_py": BuildWithLibrary}, distclass=NativeDistribution)
