from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from berth import Keep, StopAt, Workspace


def test_a_command_is_told_as_it_ended(workspace: Workspace) -> None:
    outcome = workspace.run(["sh", "-c", "printf out; printf err >&2; exit 7"])
    assert (outcome.kind, outcome.exit_code, outcome.stdout, outcome.stderr) == ("exited", 7, "out", "err")
    assert not outcome.ok and outcome.duration_s > 0 and outcome.survivors == 0
    killed = workspace.run("kill -9 $$", shell=True)
    assert (killed.kind, killed.signal, killed.shell_status, killed.exit_code) == ("signaled", 9, 137, None)
    assert workspace.run(["no-such-program"]).exit_code == 127
    late = workspace.run(["sleep", "60"], timeout=0.1)
    assert (late.kind, late.shell_status) == ("timed_out", 124)


def test_a_command_has_the_environment_directory_and_input_it_is_given(directory: Path) -> None:
    with Workspace.open(directory, env={"FROM_OPEN": "1", "BOTH": "a"}) as workspace:
        workspace.make_directory("sub")
        outcome = workspace.run(
            'pwd; echo "$FROM_OPEN $BOTH $MORE"; cat', shell=True, cwd="sub", env={"BOTH": "b", "MORE": "c"},
            stdin="typed")
        assert outcome.stdout == f"{directory}/sub\n1 b c\ntyped"


def test_output_is_kept_or_ends_the_command(workspace: Workspace) -> None:
    ended = workspace.run("yes", shell=True, output=StopAt(limit=1000, kept=10))
    assert (ended.kind, ended.out.head) == ("output_limited", b"y\ny\ny\ny\ny\n")
    kept = workspace.run("seq 1000", shell=True, output=Keep(head=4, tail=5))
    assert (kept.out.head, kept.out.tail, kept.out.total_bytes) == (b"1\n2\n", b"1000\n", 3893)
    assert kept.stdout == "1\n2\n\n[… 3884 bytes left out …]\n1000\n"


def test_output_is_handed_over_while_the_command_runs(workspace: Workspace) -> None:
    seen: list[tuple[str, bytes]] = []
    workspace.run("printf a; printf b >&2", shell=True, on_output=lambda stream, data: seen.append((stream, data)))
    assert sorted(seen) == [("err", b"b"), ("out", b"a")]


def test_undecodable_output_becomes_one_replacement_for_each_byte(workspace: Workspace) -> None:
    assert workspace.run("printf 'a\\342\\202b\\377'", shell=True).stdout == "a\ufffd\ufffdb\ufffd"


def test_the_form_of_a_command_is_checked(workspace: Workspace) -> None:
    for command, shell in (("true", False), (["true"], True), (3, False), ([1], False)):
        with pytest.raises(TypeError):
            workspace.run(command, shell=shell)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        workspace.run([])
    with pytest.raises(ValueError):
        workspace.run(["true"], timeout=0)


def test_other_threads_go_on_during_a_call(workspace: Workspace) -> None:
    done = threading.Event()
    runner = threading.Thread(target=lambda: (workspace.run(["sh", "-c", "until [ -e go ]; do sleep 0.01; done"]),
                                              done.set()))
    runner.start()
    workspace.write("go", "")
    runner.join(30)
    assert done.is_set()


def test_a_signal_interrupts_a_command(workspace: Workspace) -> None:
    def interrupt() -> None:
        while not workspace.exists("pid"):
            pass
        os.kill(os.getpid(), signal.SIGUSR1)

    class Interrupted(Exception):
        pass

    def handler(*_: object) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGUSR1, handler)
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(Interrupted):
            workspace.run("echo $$ > tmp; mv tmp pid; exec sleep 3600", shell=True)
    finally:
        signal.signal(signal.SIGUSR1, before)
        thread.join()
    assert workspace.run(["kill", "-0", workspace.read_text("pid").strip()]).exit_code != 0


def test_a_job_runs_on_and_is_found_again(directory: Path, tmp_path: Path) -> None:
    state = tmp_path / "jobs"
    with Workspace.open(directory, state_directory=state) as workspace:
        job = workspace.start_job("read line; echo got $line; sleep 3600", shell=True, name="waits")
        assert job.state == "running" and job.stdin_open and not job.has_ended
        assert workspace.write_job_stdin(job.id, "this\n").open
        output = workspace.read_job(job.id, wait=30)
        assert output.content == b"got this\n"
    with Workspace.open(directory, state_directory=state) as workspace:
        assert [one.name for one in workspace.list_jobs()] == ["waits"]
        assert workspace.wait_job(job.id, at_most=0.01).state == "running"
        stopped = workspace.stop_job(job.id)
        assert (stopped.state, stopped.ended_by, stopped.shell_status) == ("signaled", "stop", 128 + signal.SIGTERM)
        assert not workspace.signal_job(job.id, signal.SIGTERM)
        workspace.forget_job(job.id)
        with pytest.raises(FileNotFoundError):
            workspace.job(job.id)


def test_a_program_may_end_while_it_holds_a_workspace(directory: Path) -> None:
    program = "import berth, sys; w = berth.Workspace.open(sys.argv[1]); w.write('f', 'x'); print(w.run(['cat', 'f']).stdout)"
    done = subprocess.run([sys.executable, "-c", program, str(directory)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "x\n", "")


def test_a_forked_child_has_threads_of_its_own(workspace: Workspace) -> None:
    workspace.write("f", "x")
    workspace.run(["true"])  # makes a thread in the parent
    child = os.fork()
    if child == 0:
        os._exit(0 if workspace.list().paths == ("f",) else 1)
    deadline = time.monotonic() + 30
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        assert time.monotonic() < deadline, "the child hangs"
        time.sleep(0.01)
    assert os.waitstatus_to_exitcode(status) == 0
