"""Ray's store and workers take our arrays."""

import pytest
from client_uses import Client, check, uses

CLIENTS = [
    Client(
        "Ray",
        "ray",
        """
        import os
        os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
        import ray
        ray.init(num_cpus=1, include_dashboard=False, logging_level="ERROR", log_to_driver=False, object_store_memory=100_000_000, runtime_env={"env_vars": {"PYTHONPATH": os.environ["PYTHONPATH"]}})

        @ray.remote
        def total(a):
            return float(a.sum())

        @ray.remote
        def negated(a):
            return -a

        @ray.remote
        def written(a):
            a[0] = 7
            return a

        @ray.remote
        class Keeper:
            def keep(self, a):
                self.kept = a
            def give(self):
                return self.kept
        """,
        [
            *uses(
                "ray.get(ray.put(x))",
                "ray.get(ray.put({'m': m}))['m']",
                "ray.get(total.remote(x))",
                "ray.get(total.remote(ray.put(m)))",
                "ray.get(negated.remote(x))",
                "keeper = Keeper.remote(); ray.get(keeper.keep.remote(x)); ray.get(keeper.give.remote())",
                "ray.get([total.remote(row) for row in m[:3]])",
                "reference = ray.put(x); x[...] = 0; ray.get(reference)",
                "ray.get(ray.put(t))",
            ),
        ],
    ),
]


@pytest.mark.parametrize("client", CLIENTS, ids=str)
def test_ray(client):
    check(__name__, client)
