"""Run a stdio server and note every frame of both directions.

usage: record.py FILE COMMAND...   (one JSON object a line: {"from": "client" | "server", "frame": ...})
"""
import json
import subprocess
import sys
import threading


def main():
    log, lock = open(sys.argv[1], "a", buffering=1), threading.Lock()
    process = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def copy(source, sink, name):
        for line in iter(source.readline, b""):
            with lock:
                log.write(json.dumps({"from": name, "frame": line.decode("utf-8", "backslashreplace")}) + "\n")
            try:
                sink.write(line)
                sink.flush()
            except BrokenPipeError:
                break
        sink.close()

    threading.Thread(target=copy, args=(sys.stdin.buffer, process.stdin, "client"), daemon=True).start()
    copy(process.stdout, sys.stdout.buffer, "server")
    sys.exit(process.wait())


main()
