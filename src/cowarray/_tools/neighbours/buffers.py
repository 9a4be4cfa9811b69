"""Libraries whose compiled functions take NumPy's type alone: what they read is handed on as NumPy's arrays, what they
write as aliases."""

import inspect
import sys
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from cowarray._native.fork_locks import importing

__all__ = ["bottleneck", "h5py", "lightgbm", "ndimage", "netcdf4", "opencv", "scipy"]


def bottleneck() -> None:
    """Its one function that writes to what it is given takes NumPy's type alone, and writes to a read-only array."""
    with importing:  # not at the top: the import of the library stays quick
        from cowarray._tools.frameless import Unbound, converting, numpys_to_write

    replace = Unbound(converting(sys.modules["bottleneck"].replace, numpys_to_write))
    module: Any
    for module in (sys.modules["bottleneck"], sys.modules[replace.__module__]):  # by whose name it is pickled
        module.replace = replace


def h5py() -> None:
    """Masks, and memory that it reads or writes without NumPy, are asked for NumPy's type."""
    with importing:
        from cowarray._tools.frameless import converting, lending_aliases

    library: Any = sys.modules["h5py"]
    for name in ("__getitem__", "__setitem__", "write_direct"):
        setattr(library.Dataset, name, converting(getattr(library.Dataset, name)))
    library.Dataset.read_direct = lending_aliases(library.Dataset.read_direct)
    library.AttributeManager.create = converting(library.AttributeManager.create)


def lightgbm() -> None:
    """Data, labels and gradients are asked for NumPy's type, also those in lists."""
    with importing:  # not at the top: the import of the library stays quick
        from cowarray._tools.frameless import converting

    library: Any = sys.modules["lightgbm.basic"]
    taking = {
        library.Dataset: "__init__ set_field set_group set_init_score set_label set_position set_weight",
        library.Booster: "_Booster__boost predict refit",
    }
    for kind, names in taking.items():
        for name in names.split():
            setattr(kind, name, converting(getattr(kind, name)))


def ndimage() -> None:
    """What the filters are given to fill is asked for NumPy's type, or taken for a dtype.

    SciPy's functions of the array API are left alone: they take arrays of one library, and ours are of another.
    """
    with importing:
        from cowarray._tools.frameless import lending_written

    if getattr(sys.modules.get("scipy._lib._array_api"), "SCIPY_ARRAY_API", False):
        return
    library = sys.modules["scipy.ndimage"]
    members: dict[str, Any] = dict(vars(library))
    for name, value in members.items():
        if type(value) is FunctionType and not name.startswith("_"):
            named = enumerate(inspect.signature(value).parameters)
            places = {each: place for place, each in named if each in ("output", "distances", "indices")}
            if places:
                lending = lending_written(value, places)
                for module in (library, sys.modules[value.__module__]):  # by whose name it is pickled
                    if getattr(module, name, None) is value:
                        setattr(module, name, lending)


def netcdf4() -> None:
    """What is assigned to its variables, which are of a compiled class, is asked for NumPy's type."""
    with importing:
        from cowarray._tools.frameless import convert_assigned

    convert_assigned(sys.modules["netCDF4"].Variable)


def opencv() -> None:
    """Its compiled functions take NumPy's type alone, and say of none whether it writes: they work on aliases."""
    with importing:  # not at the top: the import of the library stays quick
        from cowarray._tools.frameless import Unbound, lending_aliases

    modules = [sys.modules["cv2"]]
    for module in modules:
        members: dict[str, Any] = dict(vars(module))
        for name, value in members.items():
            if type(getattr(value, "__wrapped__", value)) is BuiltinFunctionType:
                setattr(module, name, Unbound(lending_aliases(value)))
            elif isinstance(value, ModuleType) and value.__name__.startswith("cv2.") and value not in modules:
                modules.append(value)


def scipy() -> None:
    """Solvers make a linear operator of a matrix that is an instance of NumPy's class."""
    with importing:
        from cowarray._tools.frameless import converting

    function = sys.modules["scipy.sparse.linalg"].aslinearoperator
    asked = converting(function)
    module: Any
    for name, module in list(sys.modules.items()):  # None where somebody prevents an import
        if name.startswith("scipy.") and module is not None and vars(module).get("aslinearoperator") is function:
            module.aslinearoperator = asked
