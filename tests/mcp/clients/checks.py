"""What the client tests share: one line of output for each case, a scratch workspace, and a running HTTP server."""
import asyncio
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import traceback

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent.parent
BERTH = os.environ.get("BERTH_PROGRAM", str(SOURCE / "build" / "release" / "berth"))
WALK = json.loads((HERE / "walk.json").read_text())

failed = 0


def report(name, error=None):
    """Print `ok NAME`, or `not ok NAME: why` on one line."""
    global failed
    if error is None:
        print(f"ok {name}", flush=True)
        return
    failed += 1
    if isinstance(error, BaseException):
        traceback.print_exception(error, file=sys.stderr)
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        error = f"{type(error).__name__}: {error}"
    print(f"not ok {name}: {' '.join(str(error).split())}", flush=True)


@contextlib.contextmanager
def case(name):
    try:
        yield
    except Exception as error:
        report(name, error)
    else:
        report(name)


def is_part(part, whole):
    """Whether every member of `part` is in `whole` with the same value, at any depth."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and is_part(value, whole[key]) for key, value in part.items())
    return part == whole


def check_call(call, is_error, structured, text):
    if "error" in call:
        assert is_error, f"was not refused: {text}"
        assert structured is None or structured.get("error", {}).get("code") == call["error"], structured
        assert call["error"] in json.dumps(structured) or text, (structured, text)
        return
    assert not is_error, text
    assert structured is not None, "no structuredContent"
    assert is_part(call.get("structured", {}), structured), structured
    assert call.get("text", "") in text, text


@contextlib.contextmanager
def workspace():
    with tempfile.TemporaryDirectory(prefix="berth-clients-") as folder:
        for name, content in WALK["files"].items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        yield folder


def server_command(folder, *options, record=None, rules=None):
    """The command of a stdio server; `record` is a file that its frames are noted in."""
    command = [BERTH, "-w", folder, *(["--rules", rules] if rules else []), "mcp", *options]
    return [sys.executable, str(HERE / "record.py"), str(record), *command] if record else command


@contextlib.contextmanager
def http_server(folder, *options, rules=None):
    """A server on a free port of loopback; yields its URL, and checks that it ends by SIGTERM."""
    process = subprocess.Popen(server_command(folder, "--http", "127.0.0.1:0", *options, rules=rules),
                               stderr=subprocess.PIPE, text=True)
    try:
        for line in process.stderr:
            found = re.search(r"http://\S+", line)
            if found:
                break
        else:
            raise RuntimeError(f"the server ended with {process.wait()} and named no address")
        yield found[0].rstrip(".,")
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            assert process.wait(10) in (0, 143, -15), f"the server ended with {process.returncode}"
        finally:
            process.kill()
            process.stderr.close()


def alive(pid):
    """Whether the process runs; a zombie does not."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def until(condition, what, seconds=20):
    end = asyncio.get_running_loop().time() + seconds
    while not condition():
        assert asyncio.get_running_loop().time() < end, f"not within {seconds} s: {what}"
        await asyncio.sleep(0.02)
