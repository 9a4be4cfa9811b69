"""Libraries whose compiled functions take only NumPy's type: they read NumPy's arrays, and write to aliases."""

import inspect
import sys
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from cowarray._native.fork_locks import importing

__all__ = ["bottleneck", "h5py", "lightgbm", "ndimage", "netcdf4", "opencv", "scipy"]


def bottleneck() -> None:
    """Wrap `replace`, which writes to its argument: it takes only NumPy's type, and writes even to read-only arrays."""
    with importing:  # imported here, so that importing the library stays quick
        from cowarray._tools.frameless import Unbound, converting, numpys_to_write

    replace = Unbound(converting(sys.modules["bottleneck"].replace, numpys_to_write))
    module: Any
    for module in (sys.modules["bottleneck"], sys.modules[replace.__module__]):  # pickled by this name
        module.replace = replace


def h5py() -> None:
    """Convert masks, and memory that h5py reads or writes without NumPy: these must be of NumPy's type."""
    with importing:
        from cowarray._tools.frameless import converting, lending_aliases

    library: Any = sys.modules["h5py"]
    for name in ("__getitem__", "__setitem__", "write_direct"):
        setattr(library.Dataset, name, converting(getattr(library.Dataset, name)))
    library.Dataset.read_direct = lending_aliases(library.Dataset.read_direct)
    library.AttributeManager.create = converting(library.AttributeManager.create)


def lightgbm() -> None:
    """Convert data, labels and gradients, also in lists: they must be of NumPy's type."""
    with importing:  # imported here, so that importing the library stays quick
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
    """Convert arrays that the filters fill: others than NumPy's are refused, or taken for a dtype.

    SciPy's functions for the array API are left alone: they take arrays of one library, and cowarray is another.
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
                for module in (library, sys.modules[value.__module__]):  # pickled by this name
                    if getattr(module, name, None) is value:
                        setattr(module, name, lending)


def netcdf4() -> None:
    """Convert values that are assigned to variables, whose class is compiled: they must be of NumPy's type."""
    with importing:
        from cowarray._tools.frameless import convert_assigned

    convert_assigned(sys.modules["netCDF4"].Variable)


def opencv() -> None:
    """Pass aliases to the compiled functions: they take only NumPy's type, and none says whether it writes."""
    with importing:  # imported here, so that importing the library stays quick
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
    """Convert matrices for the solvers, which make linear operators of instances of NumPy's class."""
    with importing:
        from cowarray._tools.frameless import converting

    function = sys.modules["scipy.sparse.linalg"].aslinearoperator
    asked = converting(function)
    module: Any
    for name, module in list(sys.modules.items()):  # None if somebody blocks an import
        if name.startswith("scipy.") and module is not None and vars(module).get("aslinearoperator") is function:
            module.aslinearoperator = asked
