# SPDX-License-Identifier: GPL-2.0-only
"""
A digest of all that a Python function runs: its code and constants, the variables that it takes from around it, functions and classes among
them, and the modules that they import. It is the same in each process, however Python hashes texts.

What travels to other processes by value, as cloudpickle has it, is looked through; what is imported there is taken from the files.
"""
import copyreg
import dis
import hashlib
import operator
import pathlib
import sys
import types
from collections.abc import Callable
from typing import Any

import cloudpickle

from . import digests, module_sources

PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), type(NotImplemented))
# What Python notes of a class for itself.
OF_CLASSES = {"__dict__", "__weakref__", "__module__", "__abstractmethods__", "_abc_impl", "__firstlineno__", "__static_attributes__", "__annotations_cache__"}


def digest_of(function: Callable) -> tuple[str, list[digests.Content]]:
    """@return twelve digits, and the files that are part of them"""
    walk = _Walk()
    mark = walk.mark(function)
    files, packages = module_sources.sources_of(walk.modules)
    simulation = module_sources.simulator_files()
    own, simulator = (list(map(digests.content_of, paths)) for paths in (sorted(files.difference(simulation)), simulation))
    # Paths are none of it: the same files in another folder are the same code.
    named = sorted(f"{pathlib.Path(content.path).name} {content.digest}" for content in own)
    simulated = sorted(content.digest for content in simulator)
    return digests.short_digest(mark, sys.version.encode(), *map(str.encode, [*named, "packages", *packages, "simulator", *simulated])), own + simulator


def _hash(kind, *parts):
    """@return a digest of a kind of thing and of its parts"""
    digest = hashlib.sha256(kind.encode())
    for part in parts:
        digest.update(hashlib.sha256(part).digest())
    return digest.digest()


def _is_by_value(name):
    """@return whether what a module has travels with a function instead of being imported"""
    registered = cloudpickle.list_registry_pickle_by_value()
    return name == "__main__" or name not in sys.modules or any(name == each or name.startswith(f"{each}.") for each in registered)


def _is_imported(thing):
    """@return whether other processes import a function or class by its name"""
    module, name = getattr(thing, "__module__", None), getattr(thing, "__qualname__", "")
    if not isinstance(module, str) or _is_by_value(module):
        return False
    try:
        return operator.attrgetter(name)(sys.modules[module]) is thing
    except AttributeError:
        return False


class _Walk:
    """A walk through the things that a function uses; each has a mark that other contents do not have."""

    def __init__(self) -> None:
        self.modules: set[str] = set()  # that are imported
        self._seen: dict[int, tuple[bytes, Any]] = {}  # with the thing, whose number is another's once it is gone

    def mark(self, thing: Any) -> bytes:
        """@return the mark of a thing and of all that it refers to"""
        kind = type(thing)
        if kind in PLAIN:
            return _hash(kind.__name__, ascii(thing).encode())
        if kind is tuple:
            return _hash("tuple", *map(self.mark, thing))
        if kind in (set, frozenset):
            return self._mark_set(thing)
        if kind is types.CodeType:
            return self._mark_code(thing)
        if id(thing) not in self._seen:
            # What it refers to may refer back to it.
            self._seen[id(thing)] = _hash("seen", str(len(self._seen)).encode()), thing
            return self._mark_object(thing)
        return self._seen[id(thing)][0]

    def _mark_set(self, things):
        """Texts and numbers are sorted; the order of others, which may differ in another process, is part of the mark."""
        marks = [self.mark(each) for each in things]
        return _hash("set", *(sorted(marks) if all(type(each) in PLAIN for each in things) else marks))

    def _mark_object(self, thing):
        if isinstance(thing, types.ModuleType):
            return self._mark_module(thing)
        if isinstance(thing, (types.FunctionType, type)) and not _is_imported(thing):
            return self._mark_function(thing) if isinstance(thing, types.FunctionType) else self._mark_class(thing)
        if isinstance(thing, (types.FunctionType, types.BuiltinFunctionType, type)) and isinstance(thing.__module__, str):
            self.modules.add(thing.__module__)
            return _hash("imported", thing.__module__.encode(), thing.__qualname__.encode())
        parts = self._parts(thing)
        return _hash(type(thing).__qualname__, *(self.mark(part) for part in parts)) if parts is not None else self._mark_reduced(thing)

    @staticmethod
    def _parts(thing):
        """@return what a thing of Python's own consists of, None if it is of another kind"""
        kind = type(thing)
        if kind in (dict, types.MappingProxyType):
            return [part for item in thing.items() for part in item]
        if kind is list:
            return thing
        if kind is types.CellType:
            try:
                return [thing.cell_contents]
            except ValueError:  # what it holds is not made yet
                return []
        if kind in (staticmethod, classmethod):
            return [thing.__func__]
        if kind is property:
            return [thing.fget, thing.fset, thing.fdel]
        if kind is types.MethodType:
            return [thing.__func__, thing.__self__]
        if kind in (types.MemberDescriptorType, types.GetSetDescriptorType, types.WrapperDescriptorType, types.MethodDescriptorType):
            return [thing.__objclass__, thing.__name__]
        return None

    def _mark_module(self, module):
        name = module.__name__
        self.modules.add(name)
        if _is_by_value(name):
            return _hash("module", *(self.mark(part) for part in sorted(vars(module).items()) if not part[0].startswith("__")))
        return _hash("module", name.encode())

    def _mark_code(self, code):
        """The bytes that Python runs, not where they stand in a file: a sweep whose file gets a comment is the same."""
        self._note_imports(code)
        numbers = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        names = (code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        return _hash("code", code.co_code, self.mark(code.co_consts), self.mark(names), self.mark(numbers), getattr(code, "co_exceptiontable", b""))

    def _note_imports(self, code):
        for instruction in dis.get_instructions(code):
            if instruction.opname == "IMPORT_NAME" and instruction.argval:
                self.modules.add(instruction.argval)

    def _mark_function(self, function):
        """What it names of its module is looked up there; a name that is missing is one of Python's."""
        package = function.__globals__.get("__package__")
        if package:  # imports in it may be relative to that
            self.modules.add(package)
        used = {name: function.__globals__[name] for name in _globals_of(function.__code__) if name in function.__globals__}
        annotations = getattr(function, "__annotate__", None) or function.__annotations__  # newer Pythons make them only when they are asked for
        parts = (function.__code__, function.__defaults__, function.__kwdefaults__, function.__closure__, function.__dict__, annotations)
        return _hash("function", *(self.mark(part) for part in (*parts, *sorted(used.items(), key=lambda item: item[0]))))

    def _mark_class(self, kind):
        own = [item for item in sorted(vars(kind).items(), key=lambda item: str(item[0])) if item[0] not in OF_CLASSES]
        return _hash("class", *(self.mark(part) for part in (kind.__qualname__, type(kind), kind.__bases__, *own)))

    def _mark_reduced(self, thing):
        """An object is what copies of it are made from; where that says nothing, cloudpickle's bytes, which may differ where the object does not."""
        self.modules.add(type(thing).__module__)
        try:
            reduce = copyreg.dispatch_table.get(type(thing))
            reduced = reduce(thing) if reduce else thing.__reduce_ex__(4)
        except Exception:  # whatever an object says that can't be copied
            return _hash("pickle", cloudpickle.dumps(thing))
        if isinstance(reduced, str):
            module = getattr(thing, "__module__", None) or type(thing).__module__
            self.modules.add(module)
            return _hash("named", module.encode(), reduced.encode(), self.mark(getattr(thing, "__wrapped__", None)))
        items = [list(part) if i in (3, 4) and part is not None else part for i, part in enumerate(reduced)]
        return _hash("object", *(self.mark(part) for part in items))


def _globals_of(code):
    """@return the names that code, and that within it, takes from its module"""
    names = {instruction.argval for instruction in dis.get_instructions(code) if instruction.opname.endswith(("_GLOBAL", "_NAME", "_GLOBALS"))}
    return sorted(names.union(*(_globals_of(each) for each in code.co_consts if isinstance(each, types.CodeType))))
