"""The targets, and for each the rows of the report that answer it. One without rows was not measured."""

from dataclasses import dataclass

from results import rows, verdict

__all__ = ["TARGETS", "in_brief"]


@dataclass(frozen=True)
class Target:
    """What is asked, and where the answer is: the question, a part of the case's name, and the competitor."""

    work: str
    against: str
    question: str
    who: str
    case: str = ""
    but: str | None = None  # what the name must not have

    def answers(self, row):
        return (
            row["target"] is not None
            and row["question"] == self.question
            and row["who"] == self.who
            and self.case in row["case"]
            and (self.but is None or self.but not in row["case"])
            and ("geometric mean" in row["case"]) == ("mean" in self.work)
        )


VIEW = "NumPy's view"
BUFFER = "np.asarray(memoryview(n))"
PAGES = "writes by the page"
TARGETS = (
    Target("x.lazy_clone(), any size", "torch", "lazy clone", "torch"),
    Target("x.lazy_clone(), any size", "NumPy's copy of 10 elements", "lazy clone", "numpy copy of 10 elements"),
    Target("x.lazy_clone(), 1 GiB", "the same of 80 B", "lazy clone", "cowarray 80 B"),
    Target("x.reshape(r, c), 1 GiB", VIEW, "copies against a view", "numpy view", "reshape(r, c)"),
    Target("x.reshape(-1), 1 GiB", VIEW, "copies against a view", "numpy view", "reshape(-1)"),
    Target("x.copy(), 1 GiB", VIEW, "copies against a view", "numpy view", "copy()"),
    Target("first write after a lazy clone", "NumPy", "first write after a lazy clone", "numpy"),
    Target("first write after a lazy clone, from 64 MiB", "torch", "first write after a lazy clone", "torch"),
    Target("b = x.copy(); b += 1, no reuse of blocks", "NumPy", "copy, then increment", "numpy", "no reuse"),
    Target("b = x.copy(); b += 1, reuse", "NumPy", "copy, then increment", "numpy", ", reuse"),
    Target("b = x.copy(); b += 1, results kept alive", "NumPy", "copy, then increment", "numpy", "kept alive"),
    Target("b = x.copy(); b[...] = 0", "NumPy", "copy, then overwrite", "numpy", "b[...] = 0"),
    Target("b = x.copy(); np.add(x, y, out=b)", "NumPy", "copy, then overwrite", "numpy", "out=b"),
    Target("bytes copied by both", "", "copy, then overwrite", "", "bytes copied"),
    Target("b = big[5:15].copy(); b[0] = 1", "NumPy", "no traps", "numpy", "b = big"),
    Target("1,000 row swaps", "NumPy", "no traps", "numpy", "row swaps"),
    Target("a history of row copies", "NumPy", "no traps", "numpy", "history"),
    Target("memory beyond the array in these", "", "no traps", "", "memory"),
    Target("operations on 10 elements", "NumPy", "operations on 10 elements", "numpy"),
    Target("operations on 1,000 elements", "NumPy", "operations on 1,000 elements", "numpy"),
    Target("their geometric mean", "NumPy", "operations on 1,000 elements", "numpy", "on 10 and on 1,000"),
    Target("y = x.copy(); y[i] = v, 10 and 100 elements", "NumPy", "small copies, written", "numpy", "10"),
    Target("y = x.copy(); y[i] = v, 1,000 elements", "NumPy", "small copies, written", "numpy", "1,000"),
    Target("np.add(a, b) on 10 elements", "NumPy", "functions on 10 elements", "numpy", "np.add"),
    Target("np.add(a, b) on 1,000 elements", "NumPy", "functions on 1,000 elements", "numpy", "np.add"),
    Target("cowarray.add(a, b) on 10 elements", "np.add", "functions on 10 elements", "numpy", "cowarray.add"),
    Target("cowarray.add(a, b) on 1,000 elements", "np.add", "functions on 1,000 elements", "numpy", "cowarray.add"),
    Target("operations on 16 MiB", "NumPy", "operations on 16 MiB", "numpy"),
    Target("np.add, cowarray.add on 16 MiB", "NumPy", "functions on 16 MiB", "numpy"),
    Target("large results", "NumPy", "large results", "numpy"),
    Target("10,000 views and writes inside simulate", "NumPy", "simulation", "numpy"),
    Target("asarray(n, copy=False)", BUFFER, "conversions", "numpy", "copy=False"),
    Target("np.asarray(x)", BUFFER, "conversions", "numpy", "np.asarray(x)"),
    Target("memoryview(x)", "memoryview(n)", "conversions", "numpy", "memoryview(x)"),
    Target("torch.from_dlpack(x)", "the same of n", "conversions", "torch from_dlpack"),
    Target("asarray(n).reshape(r, c)", "n.reshape(r, c).copy()", "headline", "numpy", "asarray(n).reshape"),
    Target("asarray(n, copy=False).reshape(r, c)", "n.reshape(r, c)", "headline", "numpy", "copy=False"),
    Target("1,000 lazy copies of 1 GiB: memory of each", "", "1,000 lazy copies", "", "each"),
    Target("1,000 lazy copies of 1 GiB: memory in all", "", "1,000 lazy copies", "", "in all"),
    Target("clone, write, drop on all cores", "NumPy's throughput", "clone, write, drop in threads", "numpy"),
    Target(
        "lazy clones of distinct arrays, two threads, no GIL",
        "one thread",
        "lazy clones from two threads without a GIL",
        "cowarray in one thread",
        "distinct arrays",
        but="of one allocation",
    ),
    Target(
        "lazy clones of one allocation or array, two threads, no GIL",
        "one thread",
        "lazy clones from two threads without a GIL",
        "cowarray in one thread",
        "one a",
    ),
    Target("one element of a fresh copy of 256 MiB, 1,000 times", "NumPy", PAGES, "numpy", "write-256MiB-dropped"),
    Target("an undo history in one array", "NumPy", PAGES, "numpy", "undo"),
    Target("40 generations, six kept", "NumPy", PAGES, "numpy", "chain"),
    Target("a part of the pages at random", "NumPy", PAGES, "numpy", "random"),
    Target("a number to every page of 1 to 48 copies", "NumPy", PAGES, "numpy", "every-page"),
    Target("copies, each read in full", "NumPy", PAGES, "numpy", "copy-and-read"),
    Target("reading a copy by the page", "NumPy's copy", PAGES, "numpy", "read-0%"),
    Target("import cowarray, beyond NumPy", "", "import beyond NumPy", ""),
)


def in_brief(results):
    """What became of each target.

    Parameters
    ----------
    results : dict
        As `results.condense`.

    Yields
    ------
    target : Target
    answers : list of dict
        Rows, as `results.rows`.
    verdict : str
        ``met``, ``met in 3 of 5``, ``not met``, ``not measured``.
    """
    found = rows(results)
    for target in TARGETS:
        answers = [row for row in found if target.answers(row)]
        met = [verdict(row) for row in answers].count("met")
        if not answers:
            yield target, answers, "not measured"
        elif met in (0, len(answers)):
            yield target, answers, "met" if met else "not met"
        else:
            yield target, answers, f"met in {met} of {len(answers)}"
