"""Run trials in processes of their own, and tell what they found: python tests/evil/run.py --help.

A process runs the trials of some calls one after another and notes which it is at in memory that the parent sees; if
it ends, that trial is a finding, is run again alone, and another process goes on after it.
"""

import argparse
import collections
import gc
import json
import mmap
import os
import re
import resource
import select
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

# malloc and free fill memory with what nobody else writes; NumPy's and Python's own caches of blocks would hide it.
ENVIRONMENT = {"MALLOC_PERTURB_": "165", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
SECONDS = 20  # of the processor, for one trial, which takes some thousandths; of sleep, it waits for what never comes
GIVE_UP = 4  # crashes of one hook in one call


class Finding(NamedTuple):
    key: tuple
    kind: str
    detail: str


class Child:
    """A process that runs the trials of some calls."""

    def __init__(self, sources, options, skip=frozenset(), after=None, one=None):
        self.sources, self.options, self.skip, self.after = sources, options, skip, after
        self.page = mmap.mmap(-1, 4096)
        self.pipe, writer = os.pipe()
        self.errors = os.memfd_create("errors")
        self.rest = b""
        self.seen = self.used = None
        self.begun = self.awake = 0
        self.stuck = False
        sys.stdout.flush()
        self.pid = os.fork()
        if not self.pid:
            status = 70
            try:
                os.close(self.pipe)
                os.dup2(self.errors, 2)
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
                self.work(writer, one)
                status = 0
            except BaseException:
                import traceback

                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(status)
        os.close(writer)

    def work(self, writer, one):
        import warnings

        import cowarray
        from evil import trial
        from evil.plan import Plan

        warnings.simplefilter("ignore")
        if not self.options.get("address"):
            resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        cowarray.keep_freed(0)
        trial.watch_unraisable()

        def send(*message):
            os.write(writer, json.dumps(message).encode() + b"\n")

        def begin(key):
            text = json.dumps(key).encode()
            self.page[: len(text) + 1] = text + b"\n"

        def tell(key, kind, detail):
            send("found", key, kind, detail)

        if one is not None and self.options.get("numpys"):
            begin(one)
            for kind, detail in trial.run_numpys(one):
                tell(one, kind, detail)
            return
        if one is not None:
            control = one._replace(deed="nothing", at=-1)
            begin(one)
            told = trial.run(one, None if control == one else trial.run(control))
            for kind, detail in told.found if told is not None else ():
                tell(one, kind, detail)
            send("one", *(told[:3] if told is not None else (0, 0, "unfit")))
            return
        for source in self.sources:
            skip = {key for key in self.skip if key.source == source}
            hooks, deeds = self.options.get("hooks"), self.options.get("deeds")
            plan = Plan(source, begin, tell, skip, self.options["seed"], hooks, deeds)
            if self.options["states"]:
                plan.product(self.options["states"])
            elif self.options["all"]:
                plan.all()
            else:
                plan.some(self.options["count"])
            send("done", source, plan.tried, plan.asked, sorted(plan.seen))

    def messages(self):
        data = os.read(self.pipe, 1 << 20)
        lines = (self.rest + data).split(b"\n")
        self.rest = lines.pop()
        return [json.loads(line) for line in lines], not data

    def where(self):
        from evil.trial import Key

        text = self.page[:].partition(b"\n")[0]
        return Key(*json.loads(text)) if text.strip(b"\0") else None

    def is_stuck(self):
        """Whether one trial has computed for too long, or sleeps; once it was, it is."""
        now, seen, used = time.monotonic(), self.page[:512], self.processor_time()
        if seen != self.seen:
            self.seen, self.begun = seen, used
        if used != self.used:
            self.used, self.awake = used, now
        self.stuck = self.stuck or used - self.begun > SECONDS or now - self.awake > SECONDS
        return self.stuck

    def processor_time(self):
        """In seconds, that of all its threads."""
        ticks = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")

    def end(self):
        """How the process ended: nothing, or what to call it."""
        os.close(self.pipe)
        _, status = os.waitpid(self.pid, 0)
        code = os.waitstatus_to_exitcode(status)
        errors = os.pread(self.errors, 1 << 20, 0).decode(errors="replace")
        os.close(self.errors)
        if not code:
            return "", errors
        return (signal.Signals(-code).name if code < 0 else f"status {code}"), errors


def alone(key, options):
    """What one trial does in a process of its own: (how it ended, what it found, what it said)."""
    child = Child([], options, one=key)
    found, messages = [], []
    while True:
        ready, _, _ = select.select([child.pipe], [], [], 1)
        if ready:
            messages, over = child.messages()
            found += [Finding(tuple(item[1]), *item[2:]) for item in messages if item[0] == "found"]
            if over:
                break
        elif child.is_stuck():
            os.kill(child.pid, signal.SIGKILL)
    ended, errors = child.end()
    return ended, found, errors


def numpys(key, options):
    """Kinds of what NumPy does in the same call to arrays of its own."""
    ended, found, _ = alone(key, {**options, "numpys": True})
    kinds = {finding.kind for finding in found}
    return kinds | {"crash", "hang", *NUMPYS} if ended else kinds


IN_COMPANY = "crash in company"  # after other trials, and not alone
# What may be NumPy's own doing: then it does the same with arrays of its own.
NUMPYS = ("system error", "written", "unwritten bytes", "held", "lost error", "not whole")


# What is known to be NumPy's own, where NumPy's arrays do not happen to show it: (calls, hooks, deeds, states, kinds,
# why).
WRITES = r".*(write|place).*|sort|again|reopen|keep_handed"
EXCUSED = [
    (r".*\.(vecmat|matvec)\(.*out=x.*", ".*", ".*", ".*", "unwritten bytes", "in part, where operands overlap out"),
    (r".*byteswap.*", ".*", ".*", "text", "not whole", "characters that are none have no repr"),
    (".*", "elements|number.*", ".*", "strings", "hang", "objects become text while its allocator is locked"),
    (r".*fromroots\(.*", "every line", "grow", ".*", "hang", "takes each of 600 roots with each: 40 seconds"),
    (".*fromiter.*", "strange.*", ".*", "strings", "hang", "objects become text while its allocator is locked"),
    (
        r".*norm\(.*",
        "collections|finalizers",
        ".*",
        "strings",
        "hang",
        "collects garbage while its allocator is locked",
    ),
    (r".*\bchoose\(.*", ".*", WRITES, "strings", "crash", "copies the choices' text, which a write has freed"),
    (
        r".*\bouter\b.*",
        ".*",
        "retype.*|widen|export_and_write",
        "large",
        "not whole|lost error|hang",
        "its result takes gigabytes, or the copies made for each of its elements do",
    ),
    (r"cowarray\.FakeError\(.*", "strange.*", ".*", ".*", "held", "each thread keeps what it was refused last"),
    (r".*\bchoose\(.*", "subclass.*", "fail", ".*", "lost error|system error", "makes a second view after an error"),
    (r".*\.at\(.*", r"strange: x\.to_numpy\(\)", ".*", ".*", "written", "ufunc.at writes to read-only arrays"),
    (r".*\.at\(.*", "elements", "again", ".*", "crash", "within itself, ends what its loop borrows"),
    (r".*arg(max|min)\(.*", "elements", ".*", ".*", "lost error|system error", "compares on after a failed comparison"),
    (r".*einsum.*", ".*", ".*", "text|octets|strings", "system error", "an error and a result at once"),
    (r"inside\(cowarray\.(aliasing|lend|simulate)\(.*", ".*", "snapshot.*", ".*", "written", "an export is an alias"),
    (
        r".*\b((as)?(any)?array|from_dlpack)\(.*copy=False.*",
        "strange: an export of x",
        ".*",
        ".*",
        "shared",
        "an alias of an alias of x, as asked",
    ),
    (r".*\bma\.ptp\(.*", ".* an export of x", ".*", "one_object", "written", "subtracts from an element in place"),
    (
        r".*out=\(?x.*|x\.__i\w+__\(.*|x \S+= .*|.*\b(copyto|place|put\w*)\((dst=)?x.*",
        "elements of x",
        ".*",
        ".*objects?",
        "crash",
        "what it writes ends an object that its place still shows",
    ),
    (
        r".*\bconj(ugate)?\(.*",
        "collections|finalizers",
        WRITES,
        ".*objects?",
        "crash",
        "borrows the element whose method it calls",
    ),
    (
        r".*\b(isreal|real|imag)\(.*",
        ".*",
        ".*",
        ".*objects?|arrays",
        "closed",
        "2.5 makes the array read-only that a subclass, or the only object, gives as parts",
    ),
    (".*", "elements of x", WRITES, ".*objects?", "crash", "its loops borrow the elements, and a write ends these"),
]


def is_excused(finding):
    if not finding.key:
        return False
    source, _, _, hook, deed, _, state = finding.key
    kind = finding.kind.partition(":")[0]
    told = (source, hook, deed, state, "crash" if kind == IN_COMPANY else kind)
    return any(all(map(re.fullmatch, patterns, told)) for *patterns, _ in EXCUSED)


class Runner:
    """All trials, in several processes at once.

    Attributes
    ----------
    found : list of Finding
    tried, asked, processes : int
    seen : set of (hook, deed)
    done : set of str
        Calls all of whose trials have run.
    """

    def __init__(self, sources, options, workers=2, chunk=20, report=None):
        self.sources, self.options, self.workers, self.chunk = list(sources), options, workers, chunk
        self.report = report or (lambda finding: None)
        self.found, self.seen, self.done = [], set(), set()
        self.tried = self.asked = self.processes = 0
        self.skip = collections.defaultdict(set)
        self.numpys, self.excused = {}, collections.Counter()

    def is_numpys(self, finding):
        """Whether NumPy does the same without us."""
        kind = finding.kind.partition(":")[0]
        if kind not in (*NUMPYS, "crash", IN_COMPANY, "hang") or not finding.key:
            return False
        from evil.trial import Key

        key = Key(*finding.key)
        if key not in self.numpys:
            self.numpys[key] = numpys(key, self.options)
        same = [kinds for of, kinds in self.numpys.items() if kind == IN_COMPANY and of.source == key.source]
        # Memory that NumPy spoils breaks anything, a later trial of the same call as well.
        return any({kind, "lost error", "crash"} & kinds for kinds in (self.numpys[key], *same))

    def start(self, sources):
        self.processes += 1
        skip = frozenset().union(*(self.skip[source] for source in sources))
        return Child(sources, self.options, skip)

    def run(self):
        waiting = [self.sources[at : at + self.chunk] for at in range(0, len(self.sources), self.chunk)][::-1]
        running = {}
        while waiting or running:
            while waiting and len(running) < self.workers:
                child = self.start(waiting.pop())
                running[child.pipe] = child
            ready, _, _ = select.select([*running], [], [], 1)
            for child in [*running.values()]:
                if child.pipe not in ready:
                    if child.is_stuck():
                        os.kill(child.pid, signal.SIGKILL)
                    continue
                messages, over = child.messages()
                for message in messages:
                    self.take(message)
                if over:
                    del running[child.pipe]
                    left = self.finish(child)
                    if left:
                        waiting.append(left)
        return self

    def take(self, message):
        if message[0] == "found":
            self.add(Finding(tuple(message[1]), *message[2:]))
        elif message[0] == "done":
            _, source, tried, asked, seen = message
            self.done.add(source)
            self.tried += tried
            self.asked += asked
            self.seen.update(map(tuple, seen))

    def add(self, finding):
        if is_excused(finding) or self.is_numpys(finding):
            self.excused[finding.kind] += 1
            return
        self.found.append(finding)
        self.report(finding)

    def finish(self, child):
        """A process has ended; what is left of its calls."""
        was_stuck = child.is_stuck()
        ended, errors = child.end()
        if not ended:
            return []
        key = child.where()
        if key is None or ended == "status 70":
            self.add(Finding(key or (), "the checker failed", errors[-2000:]))
            self.done.update([key.source] if key else child.sources)
            return [source for source in child.sources if source not in self.done]
        again, _, told = alone(key, self.options)
        self.processes += 1
        kind = "hang" if was_stuck else f"crash: {again}" if again else f"{IN_COMPANY}: {ended}"
        self.add(Finding(key, kind, last_words(told or errors)))
        skip = self.skip[key.source]
        skip.add(key)
        if sum((each.slot, each.hook) == (key.slot, key.hook) for each in skip) >= GIVE_UP:
            skip.add(key._replace(at=-2))
        return [source for source in child.sources if source not in self.done]


def last_words(errors):
    for line in errors.splitlines():
        if "ERROR: AddressSanitizer" in line:
            return line.partition("ERROR: ")[2][:150]
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--case", action="append", help="only these calls")
    parser.add_argument("--match", help="only calls with this text")
    parser.add_argument("--hook", action="append", help="only these hooks")
    parser.add_argument("--no-hook", action="append", help="all but these hooks")
    parser.add_argument("--deed", action="append", help="only these deeds")
    parser.add_argument("--all", action="store_true", help="each call with each pair of hook and deed")
    parser.add_argument("--count", type=int, default=6, help="of a sample: places of each call")
    parser.add_argument("--states", type=int, help="the whole product, in so many states each; for a few calls")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--part", default="0/1", help="i/n: the i-th of n parts of the calls")
    parser.add_argument("--covers", action="store_true", help="it is an error if a hook or a deed never came up")
    parser.add_argument("--key", help="one trial, as a finding tells it (JSON)")
    parser.add_argument("--out", help="file for the findings, one a line")
    options = parser.parse_args()
    if any(os.environ.get(name) != value for name, value in ENVIRONMENT.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ENVIRONMENT})
    from evil.ambient import AMBIENT
    from evil.cases import CASES
    from evil.hooks import HOOKS
    from evil.trial import Key

    address = "libasan" in os.environ.get("LD_PRELOAD", "")
    settings = {
        "all": options.all,
        "count": options.count,
        "seed": options.seed,
        "states": options.states,
        "address": address,
    }
    hooks = options.hook or (options.no_hook and sorted({*HOOKS, *AMBIENT} - {*options.no_hook}))
    settings.update(hooks=hooks, deeds=options.deed, address=address)
    if options.key:
        ended, found, errors = alone(Key(*json.loads(options.key)), settings)
        print(errors, *found, ended or "ended well", sep="\n")
        return bool(ended or found)
    from evil import plan

    # Once, before the processes fork; and their trials collect garbage thousands of times, which need not see it.
    plan.calls_by_road()
    gc.collect()
    gc.freeze()
    at, _, parts = options.part.partition("/")
    sources = [source for source in CASES if not options.match or options.match in source]
    sources = (options.case or sources)[int(at) :: int(parts)]
    started = time.monotonic()
    out = open(options.out, "w") if options.out else None  # noqa: SIM115
    folder = tempfile.TemporaryDirectory()  # for what calls write to names that a hook has made up
    os.chdir(folder.name)
    known = set()

    def report(finding):
        if out:
            print(json.dumps(finding), file=out, flush=True)
        name = (finding.key[0], finding.kind)
        if name not in known:
            known.add(name)
            print(f"{finding.kind}: {finding.detail}\n    --key '{json.dumps(finding.key)}'", flush=True)

    runner = Runner(sources, settings, options.workers, 4 if options.all or options.states else 20, report).run()
    kinds = collections.Counter(finding.kind for finding in runner.found)
    print(
        f"{len(runner.done)} calls, {runner.tried} trials, user code did its deed in {runner.asked}, "
        f"{len(runner.seen)} pairs of hook and deed, {runner.processes} processes, "
        f"{time.monotonic() - started:.0f} s; found {dict(kinds)}; NumPy's own: {dict(runner.excused)}"
    )
    missing = left_out(runner.seen) if options.covers else []
    if missing:
        print("never tried:", *missing, file=sys.stderr)
    return bool(runner.found or missing)


def left_out(seen):
    """Hooks and deeds that never came up, of those that this Python has."""
    from evil.ambient import AMBIENT
    from evil.deeds import DEEDS
    from evil.hooks import HOOKS, STRANGE

    known = {*HOOKS, *STRANGE, *AMBIENT, *DEEDS}
    if sys.version_info < (3, 12):
        known.remove("__buffer__")
    return sorted(known - {name for pair in seen for name in pair})


if __name__ == "__main__":
    sys.exit(main())
