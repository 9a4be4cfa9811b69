"""Compile the C core and the Cython extensions, and pack the sources; everything else is in pyproject.toml.

Environment: COWARRAY_WERROR=1 makes warnings errors, COWARRAY_SANITIZE=address|undefined|thread instruments the code.
Changing either rebuilds everything. SOURCE_DATE_EPOCH is the time of the files in an sdist.
"""

import gc
import gzip
import os
import re
import subprocess
import tarfile
import tomllib
from glob import glob
from pathlib import Path

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

# {name: words}; the Makefile includes the same file.
FLAGS = {name: words.split() for name, words in re.findall(r"^(\w+) := (.*)$", Path("flags.mk").read_text(), re.M)}
CORE_FLAGS = [*FLAGS["STANDARD"], *FLAGS["WARNINGS"]]
# -g0 drops debug information, which Python's flags may request: a fifth of a build's time. The modes' rooms, half of
# the compiled code, compile in half the time with -O1; operations in a budget take 3 % longer, those on fakes as long.
COMMON_FLAGS = ["-O2", "-g0", "-fvisibility=hidden", "-pthread"]
LESS_OPTIMIZED = ["-O1"]
LESS_OPTIMIZED_ROOM = "src/cowarray/_modes/"
LINK_FLAGS = ["-pthread"]
# gcc for x86 would clear a new array object by one instruction, whose startup takes longer than all of these stores.
CLEARS_BY_STORES = "-mmemset-strategy=vector_loop:256:noalign,libcall:-1:noalign"
if os.environ.get("COWARRAY_WERROR") == "1":
    COMMON_FLAGS += ["-Werror"]
if sanitizer := os.environ.get("COWARRAY_SANITIZE"):
    COMMON_FLAGS += [f"-fsanitize={sanitizer}", *FLAGS["SANITIZED"], "-O0", "-g1"]
    CORE_FLAGS += FLAGS["ASSERTIONS"]
    LINK_FLAGS += [f"-fsanitize={sanitizer}"]

INCLUDE = ["include", "src/core", "src/cowarray/_c"]
PUBLIC_HEADERS = sorted(glob("include/cowarray/*.h"))
CORE_SOURCES = sorted(glob("src/core/*.c"))
CORE_DEPENDS = [*PUBLIC_HEADERS, *CORE_SOURCES, *glob("src/core/*.h"), *glob("src/cowarray/_c/*.h")]
CORE_EXTENSION = "cowarray._native.storage"
FLAGS_FILE = Path("build/flags")
# C code that Cython generates from one NumPy's declarations need not compile with another's headers.
CYTHON_BUILD = f"build/cython-numpy-{numpy.__version__}"


def copy_headers(command, root):
    """Put the public headers inside the package, where get_include() finds them in a wheel and in a checkout."""
    package = Path(root, "cowarray/include/cowarray")
    command.mkpath(str(package))
    for header in PUBLIC_HEADERS:
        command.copy_file(header, str(package))


class BuildPy(build_py):
    def run(self):
        super().run()
        copy_headers(self, "src" if self.editable_mode else self.build_lib)


class BuildExt(build_ext):
    """A build that links the core into _native.storage alone: a second copy would have a second set of statics."""

    def run(self):
        # Extensions depend on this file, so it is written only when the flags differ from those of the last build.
        flags = " ".join([*CORE_FLAGS, *FLAGS["CYTHON_FLAGS"], *COMMON_FLAGS, *LESS_OPTIMIZED])
        if not FLAGS_FILE.exists() or FLAGS_FILE.read_text() != flags:
            FLAGS_FILE.parent.mkdir(exist_ok=True)
            FLAGS_FILE.write_text(flags)
        for ext, written in zip(self.extensions, self.cythonized(), strict=True):
            ext.sources, ext.depends = written.sources, [*ext.depends, *written.depends]
        # The slowest first, so that no CPU core idles at the end.
        self.extensions.sort(key=lambda ext: (ext.name != CORE_EXTENSION, -os.path.getsize(ext.sources[0])))
        self.parallel = self.parallel or os.cpu_count()
        super().run()
        if self.inplace:
            copy_headers(self, "src")

    def build_extensions(self):
        if accepts(self.compiler, CLEARS_BY_STORES):
            for ext in self.extensions:
                ext.extra_compile_args.append(CLEARS_BY_STORES)
        super().build_extensions()

    def cythonized(self):
        """Return the extensions with their C files, which Cython renews if a file that they depend on has changed."""
        gc.disable()  # Cython's trees are large and long-lived: the collector would take a third of its time
        written = cythonize(
            self.extensions,
            build_dir=CYTHON_BUILD,
            include_path=["src"],
            nthreads=os.cpu_count(),
            quiet=True,
            compiler_directives={"auto_pickle": False},
        )
        gc.enable()
        return written

    def build_extension(self, ext):
        if ext.name == CORE_EXTENSION:
            ext.extra_objects = self.compile_core()
        super().build_extension(ext)

    def compile_core(self):
        return self.compiler.compile(
            CORE_SOURCES,
            output_dir=self.build_temp,
            include_dirs=INCLUDE,
            extra_postargs=[*CORE_FLAGS, *COMMON_FLAGS],
        )


class SDist(sdist):
    """A reproducible sdist: the same bytes from the same sources, whoever builds it, wherever and whenever."""

    def make_archive(self, base_name, format, root_dir=None, base_dir=None, **owner):
        if format != "gztar":
            return super().make_archive(base_name, format, root_dir, base_dir, **owner)
        path = f"{base_name}.tar.gz"
        time = time_of_sources()
        with (
            open(path, "wb") as file,
            gzip.GzipFile("", "wb", fileobj=file, mtime=time) as packed,
            tarfile.open(fileobj=packed, mode="w") as tar,
        ):
            for member in [Path(base_dir), *sorted(Path(base_dir).rglob("*"))]:
                tar.add(member, recursive=False, filter=lambda entry: without_builder(entry, time))
        return path


def without_builder(entry, time):
    """Remove from an archive's entry what depends on the machine: owner, umask, time."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
    entry.mtime = time
    return entry


def time_of_sources():
    """Return the time of the commit, in seconds. In an unpacked archive, the files have that time."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    if os.path.exists(".git"):
        return int(subprocess.run(["git", "log", "-1", "--format=%ct"], stdout=subprocess.PIPE, check=True).stdout)
    return int(os.stat("pyproject.toml").st_mtime)


def long_description():
    """Return README.md with links that work on a package index: they lead to the files of this version."""
    project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
    files = f"{project['urls']['Source']}/blob/v{project['version']}/"
    return re.sub(r"\]\((?!\w+:|#)", f"]({files}", Path("README.md").read_text())


def accepts(compiler, flag):
    """Tell whether the compiler knows the flag."""
    command = [*compiler.compiler_so, flag, "-x", "c", "-c", os.devnull, "-o", os.devnull]
    return subprocess.run(command, capture_output=True).returncode == 0


def extension(source):
    """Return the extension of a .pyx file. Cython knows the declarations that it depends on: see cythonized."""
    return Extension(
        source.removeprefix("src/").removesuffix(".pyx").replace("/", "."),
        [source],
        include_dirs=[*INCLUDE, numpy.get_include()],
        define_macros=[
            ("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION"),
            ("NPY_TARGET_VERSION", "NPY_2_0_API_VERSION"),
        ],
        depends=["setup.py", "flags.mk", str(FLAGS_FILE), *CORE_DEPENDS],
        extra_compile_args=[
            *FLAGS["CYTHON_FLAGS"],
            *COMMON_FLAGS,
            *(LESS_OPTIMIZED if source.startswith(LESS_OPTIMIZED_ROOM) else ()),
        ],
        extra_link_args=LINK_FLAGS,
    )


setup(
    cmdclass={"build_py": BuildPy, "build_ext": BuildExt, "sdist": SDist},
    long_description=long_description(),
    long_description_content_type="text/markdown",
    ext_modules=[extension(source) for source in sorted(glob("src/cowarray/**/*.pyx", recursive=True))],
)
