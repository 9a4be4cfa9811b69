"""An ensemble that starts from one shared state, on a cluster of Dask's that grows while it works.

usage: ensemble_on_dask.py [--members N] [--mebibytes N] [--processes N ...] [--kill]

The state is 16 layers of an atmosphere. `forecast` is written as one writes it for a state of one's own: it perturbs
two layers in place and lets them drift. A worker holds the state once, and gives the same arrays to each of its
members; so with NumPy each member copies the state before it begins. With cowarray `isolated` gives each member lazy
copies, and what it does not write to it does not copy.

Prints for each kind and number of processes the time of the ensemble, the bytes copied by its members, and the memory
of all processes at its peak, beyond what they took before the state was made. With --kill a worker is killed as soon as
the first member is done, and Dask starts another; the results must be the same. The cluster is one: it is scaled from
the first number of processes to the last.
"""

import argparse
import contextlib
import os
import signal
import sys
import zlib

import dask
import numpy as np
from distributed import Client, LocalCluster, as_completed
from engine_figures import Figures, show

import cowarray

__all__ = ["KINDS", "forecast", "run", "state"]

LAYERS, STEPS = 16, 6


def state(mebibytes):
    """A state of NumPy's: 16 layers of latitude by longitude."""
    rows = (mebibytes << 20) // (LAYERS * 1024 * 8)
    angle = np.linspace(0, np.pi, rows)[:, None] + np.linspace(0, 2 * np.pi, 1024)
    return [np.sin((layer + 1) * angle) for layer in range(LAYERS)]


def our_state(mebibytes):
    """The same state in arrays of cowarray."""
    return [cowarray.asarray(layer) for layer in state(mebibytes)]


def forecast(layers, member):
    """Perturb two layers, and let them drift; gives how far the layers above each other are apart."""
    random = np.random.default_rng(member)
    for layer in layers[member % LAYERS], layers[(member + 1) % LAYERS]:
        layer += random.normal(scale=0.01, size=layer.shape[1])
        for _ in range(STEPS):
            layer[1:] += 0.25 * (layer[:-1] - layer[1:])
    return [float(np.abs(layers[i][::8] - layers[i + 1][::8]).mean()) for i in range(LAYERS - 1)]


def forecast_in_copies(layers, member):
    """With NumPy: `forecast` does not say what it writes, so everything is copied."""
    own = [layer.copy() for layer in layers]
    return forecast(own, member), sum(layer.nbytes for layer in own)


def forecast_isolated(layers, member):
    """With cowarray: the layers are this call's own, as far as anybody can see."""
    before = cowarray.stats()["bytes_copied"]
    return cowarray.isolated(forecast)(layers, member), cowarray.stats()["bytes_copied"] - before


KINDS = {"NumPy": (state, forecast_in_copies), "cowarray": (our_state, forecast_isolated)}


def settle():
    """Import what a member needs, and give back what earlier ones took."""
    import gc

    import cowarray

    gc.collect()
    cowarray.keep_freed(0)


def run(client, kind, members, mebibytes, kill):
    """What one ensemble gave and took. The state is a task, so that it is made again if it goes with its worker."""
    make, function = KINDS[kind]
    with Figures() as figures:
        shared = client.submit(make, mebibytes, pure=False)
        futures = client.map(function, [shared] * members, range(members), pure=False)
        if kill:
            next(as_completed(futures)).result()
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        results = client.gather(futures)
    after = client.submit(lambda layers: [zlib.crc32(np.asarray(layer)) for layer in layers], shared).result()
    return {
        "seconds": figures.seconds,
        "peak": figures.peak,
        "copied": sum(copied for _, copied in results),
        "forecasts": [distances for distances, _ in results],
        "after": after,
    }


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--members", type=int, default=24)
    parser.add_argument("--mebibytes", type=int, default=256, help="of the state")
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--kill", action="store_true", help="kill a worker in the middle")
    options = parser.parse_args(arguments)
    seen = set()
    with contextlib.ExitStack() as stack:
        # A worker's death is not its tasks' fault; and a cluster gives up workers that are away for so long.
        patient = {"distributed.scheduler.allowed-failures": 10, "distributed.deploy.lost-worker-timeout": "1 hour"}
        stack.enter_context(dask.config.set(patient))
        # One member at a time in each process.
        cluster = stack.enter_context(LocalCluster(n_workers=0, threads_per_worker=1, dashboard_address=None))
        client = stack.enter_context(Client(cluster))
        for processes in options.processes:
            cluster.scale(processes)
            client.wait_for_workers(processes)
            for kind in KINDS:
                client.run(settle)
                found = run(client, kind, options.members, options.mebibytes, options.kill)
                seen.add(repr((found["forecasts"], found["after"])))
                show(kind, processes, found)
    if len(seen) > 1:
        sys.exit("a member saw what another one wrote")
    print("every member began with the same state, and gave the same forecast")


if __name__ == "__main__":
    main(sys.argv[1:])
