#!/usr/bin/env python3
"""Check the models of src/core/protocol.md, and that they find the faults they are there for.

spin explores every interleaving of the protocol's steps (spin/*.pml). relacy runs the core's own sources in many
interleavings of a weak memory model (relacy/clients.cpp). GenMC explores every execution of them (genmc/*.c): it is the
program that GENMC names, or genmc on the path. A checker that is not installed is skipped and counted.

usage: run.py [--long] [--imm] [word ...]
    word     only models and mutants whose name has one of the words
    --long   more interleavings, and the GenMC clients that take minutes
    --imm    GenMC with the memory model IMM instead of RC11: many times slower
"""

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutants import CORE, GENMC, SPIN

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.append(str(ROOT / "tools"))
from sampling import sampled  # noqa: E402

BUILD = ROOT / "build" / "model"
CC = os.environ.get("CC", "cc").split()
CXX = os.environ.get("CXX", "c++").split()
LONG = "--long" in sys.argv[1:]
WORDS = [word for word in sys.argv[1:] if not word.startswith("-")]
ITERATIONS = 1_000_000 if LONG else 30_000  # per client
MUTANT_ITERATIONS = 30_000

CHECKER = os.environ.get("GENMC") or shutil.which("genmc")
# Its cache of instructions mistakes one call's variables for another's in these sources, and then reports them freed.
GENMC_FLAGS = [
    "--imm" if "--imm" in sys.argv[1:] else "--rc11",
    "--disable-estimation",
    "--disable-instruction-caching",
]
MINUTES = {"overwrite", "fork_gate", "writers"}  # each takes minutes: with --long only
NEVER_BLOCKED = {"waiting_room"}  # its threads wait for each other, and a blocked execution is one that waits for good

# no-lifetime-dse: relacy marks dead objects in their destructors, and looks at the marks afterwards.
RELACY_FLAGS = [
    "-std=c++17",
    "-w",
    "-pthread",
    "-fno-strict-aliasing",
    "-U_FORTIFY_SOURCE",
    '-DCOWI_ATOMICS_HEADER="atomics.hpp"',
]
# Fields that the micro lock, the busy flag or the context's lock protects: relacy checks that one of them does.
CHECKED = [
    ("internal.h", "    cowi_context *context;\n", "    checked<cowi_context *> context;\n"),
    # model_free tells a Storage from a context by its size.
    ("internal.h", "    bool sole;\n", "    checked<bool> sole;\n    char unlike_a_context[64];\n"),
    ("internal.h", "    size_t scopes; ", "    checked<size_t> scopes; "),
    ("internal.h", "    cow_dataptr original;", "    checked<cow_dataptr> original;"),
    ("internal.h", "    void *shadow; ", "    checked_shadow shadow; "),
]
# GenMC splits up copies of structs, and cannot where one lies behind a parameter.
FIELDS = "data", "context", "deleter"
APART = [
    (
        "context.c",
        "    *bytes = context->original;\n",
        "".join(f"    bytes->{field} = context->original.{field};\n" for field in FIELDS),
    ),
    (
        "context.c",
        "    context->original = bytes;\n",
        "".join(f"    context->original.{field} = bytes.{field};\n" for field in FIELDS),
    ),
]


class Failure(Exception):
    """A model or mutant did not do what it must."""


def wanted(*names):
    return not WORDS or any(word in name for word in WORDS for name in names)


def call(command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=1200)
    return done.returncode, done.stdout + done.stderr


def must(command, cwd):
    code, output = call(command, cwd)
    if code != 0:
        raise Failure(f"{' '.join(map(str, command))}\n{output}")


def fresh(name):
    directory = BUILD / re.sub(r"\W+", "-", name)
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    return directory


# ---- spin ------------------------------------------------------------------------------------------------------------


def spin(model, fault=None):
    """Explore one model completely; return the number of states, and the first error or None."""
    directory = fresh(f"spin {model} {fault or ''}")
    must(["spin", *([f"-D{fault}"] if fault else []), "-a", HERE / "spin" / f"{model}.pml"], directory)
    # Without optimization: compiling most models takes longer than searching them.
    must([*CC, "-O0", "-w", "-DSAFETY", "-DVECTORSZ=2048", "-o", "pan", "pan.c"], directory)
    _, output = call(["./pan", "-m1000000"], directory)
    errors = re.search(r"errors: (\d+)", output)
    states = re.search(r"(\d+) states, stored", output)
    if errors is None or states is None or "max search depth too small" in output or "out of memory" in output:
        raise Failure(f"{model}: the search did not end\n{output}")
    error = re.search(r"^pan:\d+: (.*)$", output, re.M)
    if errors[1] != "0" and error is None:
        raise Failure(output)
    return int(states[1]), error[1] if errors[1] != "0" else None


def spin_model(model):
    states, error = spin(model)
    if error:
        raise Failure(f"spin {model}: {error}")
    return f"spin {model}: holds, {states} states"


def spin_mutant(fault):
    for model in SPIN[fault]:
        states, error = spin(model, fault)
        if error is None:
            raise Failure(f"spin {fault}: not found by {model} in {states} states")
    return f"spin {fault}: killed by {', '.join(SPIN[fault])}"


# ---- relacy ----------------------------------------------------------------------------------------------------------


def faulty_core(directory, replacements):
    """Copy the core's sources into directory, with the replacements made."""
    for source in (ROOT / "src" / "core").glob("*.[ch]"):
        shutil.copy(source, directory)
    for file, text, replacement in replacements:
        content = (directory / file).read_text()
        if content.count(text) != 1:
            raise Failure(f"{directory.name}: {content.count(text)} places in {file} instead of one:\n{text}")
        (directory / file).write_text(content.replace(text, replacement))


def build_clients(name, faults, optimize):
    """Compile the clients against a copy of the core, with the faults put in; return the program."""
    directory = fresh(f"relacy {name}")
    faulty_core(directory, [*CHECKED, *faults])
    includes = [f"-I{directory}", f"-I{ROOT / 'include'}", f"-I{HERE / 'relacy'}"]
    dse = [] if "clang" in CXX[0] else ["-fno-lifetime-dse"]
    must([*CXX, optimize, *RELACY_FLAGS, *dse, *includes, HERE / "relacy" / "clients.cpp", "-o", "clients"], directory)
    return directory / "clients"


def relacy_clients():
    program = build_clients("as it is", [], "-O1")
    _, names = call([program, "list"], program.parent)
    return program, names.split()


def relacy_client(program, name):
    code, output = call([program, name, str(ITERATIONS)], program.parent)
    if code != 0:
        _, history = call(["env", "COWARRAY_MODEL_VERBOSE=1", program, name, str(ITERATIONS)], program.parent)
        raise Failure(f"relacy {output}\n{history[-6000:]}")
    return f"relacy {output.strip()}"


def relacy_mutant(name):
    program = build_clients(name, CORE[name], "-O0")  # which compiles faster, and most die young
    code, output = call([program, "any", str(MUTANT_ITERATIONS)], program.parent)
    killer = re.search(r"^(\w+): broken: (.*?), after", output, re.M)
    if code == 0 or killer is None:
        raise Failure(f"relacy {name}: not found (exit status {code})\n{output[-2000:]}")
    return f"relacy {name}: killed by {killer[1]} ({killer[2].lower()})"


def has_relacy():
    if shutil.which(CXX[0]) is None:
        return False
    probe = fresh("probe") / "probe.cpp"
    probe.write_text("#include <relacy/relacy.hpp>\nint main() {}\n")
    return call([*CXX, "-std=c++17", "-w", "-fsyntax-only", probe], probe.parent)[0] == 0


# ---- genmc -----------------------------------------------------------------------------------------------------------


def genmc(client, name, faults):
    """Explore one client completely; return the number of executions, and the first error or None."""
    directory = fresh(f"genmc {client} {name}")
    faulty_core(directory, [*APART, *faults])
    includes = [f"-I{directory}", f"-I{ROOT / 'include'}", f"-I{HERE}"]
    program = HERE / "genmc" / f"{client}.c"
    code, output = call([CHECKER, *GENMC_FLAGS, "--", *includes, program], directory)
    complete = re.search(r"complete executions explored: (\d+)", output)
    blocked = re.search(r"blocked executions seen: (\d+)", output)
    error = re.search(r"^Error: (.*)$", output, re.M)
    if complete is None or (code == 0) != (error is None):
        raise Failure(f"genmc {client}: the search did not end\n{output[-2000:]}")
    if error:
        return int(complete[1]), error[1].strip(" !")
    if client in NEVER_BLOCKED and blocked:
        return int(complete[1]), "a thread waits for good"
    return int(complete[1]), None


def genmc_client(client):
    executions, error = genmc(client, "as it is", [])
    if error:
        raise Failure(f"genmc {client}: {error}")
    return f"genmc {client}: holds, {executions} executions"


def genmc_mutant(fault):
    executions, error = genmc(GENMC[fault], fault, CORE[fault])
    if error is None:
        raise Failure(f"genmc {fault}: not found by {GENMC[fault]} in {executions} executions")
    return f"genmc {fault}: killed by {GENMC[fault]} ({error.lower()})"


# ---- all of it -------------------------------------------------------------------------------------------------------


def attempt(job):
    try:
        return True, job[0](*job[1:])
    except (Failure, subprocess.TimeoutExpired) as failure:
        return False, f"FAILED: {failure}"


def skip(count, what, why):
    print(f"skipped: {what}: {why}", flush=True)
    return [], count


def spin_jobs():
    """What there is to do, each as a function and its arguments, and how many things are skipped."""
    models = sorted(path.stem for path in (HERE / "spin").glob("*.pml") if path.stem != "protocol")
    if not models:
        sys.exit("no models in spin/")
    if not shutil.which("spin"):
        return skip(len(models) + len(SPIN), f"{len(models)} models and {len(SPIN)} mutants", "spin is not installed")
    jobs = [(spin_model, model) for model in models if wanted(model)]
    return jobs + [(spin_mutant, fault) for fault in sampled(filter(wanted, SPIN), "mutants of spin's models")], 0


def relacy_jobs():
    if not has_relacy():
        return skip(1 + len(CORE), f"the relacy clients and {len(CORE)} mutants", "relacy is not installed")
    program, clients = relacy_clients()
    if not clients:
        raise Failure("no clients in relacy/")
    jobs = [(relacy_client, program, client) for client in clients if wanted(client)]
    return jobs + [(relacy_mutant, name) for name in sampled(filter(wanted, CORE), "mutants of relacy's clients")], 0


def genmc_jobs():
    clients = sorted(path.stem for path in (HERE / "genmc").glob("*.c"))
    if not clients:
        sys.exit("no clients in genmc/")
    if not CHECKER:
        faults = len(GENMC)
        return skip(len(clients) + faults, f"{len(clients)} clients and {faults} mutants", "genmc is not installed")
    skipped = 0
    if not LONG:
        _, skipped = skip(len(MINUTES), f"the genmc clients {', '.join(sorted(MINUTES))}", "minutes; --long runs them")
        clients = [client for client in clients if client not in MINUTES]
    jobs = [(genmc_client, client) for client in clients if wanted(client)]
    return jobs + [
        (genmc_mutant, fault) for fault in sampled(filter(wanted, GENMC), "mutants of GenMC's clients")
    ], skipped


FIGURES = [("spin", "states", SPIN), ("relacy", "iterations", CORE), ("genmc", "executions", GENMC)]


def main():
    BUILD.mkdir(parents=True, exist_ok=True)
    if CHECKER and shutil.which(CHECKER) is None:
        sys.exit(f"GENMC={CHECKER} is no program")
    jobs, lines = [], []
    passed = failed = skipped = 0
    for make_jobs in spin_jobs, relacy_jobs, genmc_jobs:
        try:
            more, without = make_jobs()
        except Failure as failure:
            print(f"FAILED: {failure}")
            failed += 1
            continue
        jobs += more
        skipped += without
    with ThreadPoolExecutor(max_workers=2) as pool:
        for good, line in pool.map(attempt, jobs):
            print(line, flush=True)
            lines.append(line)
            passed += good
            failed += not good
    for checker, things, faults in FIGURES:
        mine = [line for line in lines if line.startswith(checker)]
        explored = sum(int(number) for line in mine for number in re.findall(rf": holds, (\d+) {things}$", line))
        killed = sum(": killed by " in line for line in mine)
        if mine and not WORDS:
            print(f"{checker}: {explored} {things}; {killed} of its {len(faults)} mutants tried and killed")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
