# SPDX-License-Identifier: GPL-2.0-only
"""What Python modules consist of: the files of those that are nobody's package, and the packages, with versions, that all of them need."""
import ast
import functools
import importlib.machinery
import importlib.metadata
import pathlib
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterable

from .place import PACKAGE, PlaceError, find_place

SUFFIXES = (*importlib.machinery.all_suffixes(), ".h")  # of what a package consists of; cppyy compiles headers
STANDARD = pathlib.Path(sysconfig.get_path("stdlib")).resolve()
SYSTEM = ("/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/")  # libraries there come with the system


def libraries_of(path: pathlib.Path) -> list[pathlib.Path]:
    """@return the library of the module that a program or library is linked to, and those of an ns-3 that is not the system's"""
    listed = subprocess.run(["ldd", path], capture_output=True, text=True, check=False).stdout
    found = re.findall(r"^\s*lib(fabric-sim|ns3)\S* => (/\S+)", listed, re.M)
    return [pathlib.Path(library) for name, library in found if name == "fabric-sim" or not library.startswith(SYSTEM)]


def simulator_files() -> list[pathlib.Path]:
    """@return the files of this package, and the library that it loads, if there is one"""
    files = _files_below(PACKAGE)
    try:
        library = find_place().library
    except PlaceError:
        return files
    return [*files, library, *libraries_of(library)]


def sources_of(modules: Iterable[str]) -> tuple[set[pathlib.Path], list[str]]:
    """
    Looks for all that modules import, in their own files as in those of others; not within installed packages.

    @param modules names
    @return files of modules that no installed package has, and "NAME VERSION" of each installed package that is needed
    """
    files: set[pathlib.Path] = set()
    packages: set[str] = set()
    missing: set[str] = set()
    seen = {"__main__"}  # what is in it travels with the function
    waiting = {module.partition(".")[0] for module in modules} - seen
    while waiting:
        name = waiting.pop()
        seen.add(name)
        own, distributions = _place(name)
        if own is None:
            missing.add(f"{name} missing")
            continue
        packages |= distributions
        files |= set(own)
        waiting |= {other for file in own for other in _imports(file)} - seen
    return files, sorted(missing | {f"{name} {importlib.metadata.version(name)}" for name in _with_requirements(packages)})


def _files_below(folder):
    """@return all files of a package that may be run"""
    return sorted(path for path in folder.rglob("*") if path.name.endswith(SUFFIXES) and "__pycache__" not in path.parts and path.is_file())


def _place(name):
    """@return the files of a top module that no installed package has, and the packages that have it; None for files if there is no such module"""
    spec = _spec(name)
    if spec is None:
        return None, set()
    folders = [pathlib.Path(folder) for folder in spec.submodule_search_locations or ()]
    found = folders or ([pathlib.Path(spec.origin)] if spec.has_location else [])
    if not found:  # built in, or frozen
        return [], set()
    if _is_installed(found[0]):
        distributions = set(_distributions().get(name, ()))
        if distributions or _is_standard(found[0]):
            return [], distributions
    return [file for each in found for file in (_files_below(each) if each.is_dir() else [each])], set()


def _spec(name):
    """@return how a top module is found, None if it is not"""
    return getattr(sys.modules.get(name), "__spec__", None) or importlib.machinery.PathFinder.find_spec(name)


def _is_standard(path):
    """@return whether a file is of Python itself"""
    return STANDARD in path.resolve().parents and not _is_of_packages(path)


def _is_of_packages(path):
    return not {"site-packages", "dist-packages"}.isdisjoint(path.parts)


def _is_installed(path):
    return _is_of_packages(path) or _is_standard(path)


@functools.cache
def _distributions():
    return importlib.metadata.packages_distributions()


def _with_requirements(packages):
    """@return names of packages and all that these need and that is installed"""
    found: set[str] = set()
    absent: set[str] = set()  # for another system, or one that is needed for a part that is not used
    waiting = set(map(_normal, packages))
    while waiting:
        name = waiting.pop()
        try:
            required = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            absent.add(name)
            continue
        found.add(name)
        waiting |= {_normal(re.split(r"[^\w.-]", each, maxsplit=1)[0]) for each in required} - found - absent
    return found


def _normal(name):
    """@return the name of a package as all spellings of it are compared"""
    return re.sub(r"[-_.]+", "-", name).lower()


@functools.lru_cache(maxsize=4096)
def _imports_of(source):
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return frozenset()
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module}
    return frozenset(name.partition(".")[0] for name in names)


def _imports(path):
    """@return the top modules that a file imports, at any place in it"""
    return _imports_of(path.read_bytes()) if path.suffix == ".py" else frozenset()
