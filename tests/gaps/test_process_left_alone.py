"""A mode leaves the interpreter as it found it: modules, filters, hooks, handlers, descriptors, the environment."""

from support.programs import run


def test_each_mode_leaves_the_process_as_it_was(tmp_path):
    run(
        """
        import contextlib, gc, locale, os, re, resource, signal, sys, threading, types, warnings
        import linecache, tempfile, json, zipfile  # what modes import of Python's own

        def states():
            mask = os.umask(0)
            os.umask(mask)
            found = {
                "filters": [*map(id, warnings.filters)],
                "imports": (sys.meta_path[:], sys.path_hooks[:], sys.path[:]),
                "tracing": (sys.gettrace(), sys.getprofile(), threading.gettrace(), threading.getprofile()),
                "switches": (sys.getrecursionlimit(), sys.getswitchinterval()),
                "the collector": (gc.isenabled(), gc.get_threshold(), gc.get_debug(), gc.callbacks[:]),
                "signals": [signal.getsignal(each) for each in signal.valid_signals()],
                "mask": signal.pthread_sigmask(signal.SIG_BLOCK, []),
                "threads": threading.enumerate(),
                "environment": dict(os.environ),
                "place": (os.getcwd(), mask, locale.setlocale(locale.LC_ALL)),
                "limits": [resource.getrlimit(each) for each in range(resource.RLIM_NLIMITS)]
                if hasattr(resource, "RLIM_NLIMITS") else [resource.getrlimit(resource.RLIMIT_AS)],
                "NumPy's": (np.geterr(), np.geterrcall(), np.get_printoptions(), np.getbufsize(),
                            np._core.multiarray.get_handler_name(), np.random.get_state()[1].tobytes()),
                "descriptors": sorted(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else [],
            }
            for name, module in [*sys.modules.items()]:
                if isinstance(module, types.ModuleType) and name.partition(".")[0] not in ("cowarray", "__main__"):
                    found[name] = {
                        key: id(value) for key, value in vars(module).items()
                        if not isinstance(value, types.ModuleType) and key != "__warningregistry__"
                    }
            return found

        def compute():
            x = ca.linspace(0, 1, 1 << 15)
            steps = [ca.random.default_rng(0).normal(size=1 << 15)]
            for _ in range(30):
                steps.append(ca.tanh(steps[-1] + x))
            steps[1][5:9] = 0
            ca.log(steps[1]).mean()
            np.concatenate([x, steps[2]]).reshape(2, -1).copy()[0] += 1
            with contextlib.suppress(FloatingPointError, ZeroDivisionError), np.errstate(all="raise"):
                ca.log(ca.zeros(3))
            return steps

        def ordinary(frame, event, arg):
            for action, message, category, module, line in warnings.filters:
                assert message is None or type(message) is re.Pattern, message
                assert module is None or type(module) in (re.Pattern, str), module
                assert isinstance(category, type) and Warning in category.__mro__, category
                met.add(category.__name__)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compute()
        np.random.seed(0)
        modes = {
            "simulate": lambda: ca.simulate(),
            "fake": lambda: ca.fake(),
            "fake, small ones real": lambda: ca.fake(real=1 << 20),
            "deferred": lambda: ca.deferred(),
            "budget": lambda: ca.budget("2 MiB", small=0, spill=FOLDER, log=FOLDER + "/log"),
            "no_copy": lambda: ca.no_copy(),
            "trace": lambda: ca.trace(),
        }
        warnings.simplefilter("ignore")
        for name, mode in modes.items():
            before = states()
            met = set()
            with contextlib.suppress(ca.CopyError, ca.FakeError), mode() as run:
                steps = compute()
                float(steps[3][0])
                left = run.evictions + run.spills if name == "budget" else 1  # which of the two, the clock says
            assert left
            del run, steps
            sys.setprofile(ordinary)
            with contextlib.suppress(ca.CopyError, ca.FakeError), mode():
                compute()
            sys.setprofile(None)
            assert ("Hushed" in met) == (name in ("deferred", "budget")), (name, met)
            gc.collect()
            after = states()
            for each, was in before.items():
                assert after[each] == was, (name, each, was if len(repr(was)) < 500 else "", {
                    key for key in {*was, *after[each]} if was.get(key) != after[each].get(key)
                } if isinstance(was, dict) else after[each])
        """.replace("FOLDER", repr(str(tmp_path))),
    )
