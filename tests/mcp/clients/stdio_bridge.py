"""Put a stdio MCP server behind streamable HTTP, for the conformance runner, which speaks nothing else.

usage: stdio_bridge.py COMMAND...   (prints its URL; ends by SIGTERM)

A session of the `initialize` era gets a server of its own, as a host that starts one by stdio would; requests of the
stateless era share one. What belongs to HTTP itself (Host and Origin, status codes, headers) is this bridge's doing and
says nothing about the server.
"""
import http.server
import itertools
import json
import queue
import signal
import subprocess
import sys
import threading
import uuid

MODERN = "2026-07-28"
LOCAL = {"localhost", "127.0.0.1", "[::1]"}


class Server:
    """One stdio server, and who waits for which of its lines."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lock = threading.Lock()
        self.waiting = {}  # our id -> (queue, the client's id, progress token)
        self.ids = itertools.count(1)
        self.loose = queue.Queue()  # frames that belong to no request
        threading.Thread(target=self.read, daemon=True).start()

    def send(self, message):
        with self.lock:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()

    def request(self, message):
        """Yield the frames that answer a request; the response is the last."""
        mine, frames = f"bridge-{next(self.ids)}", queue.Queue()
        token = message.get("params", {}).get("_meta", {}).get("progressToken")
        self.waiting[mine] = (frames, message["id"], token)
        try:
            self.send({**message, "id": mine})
            while True:
                frame = frames.get(timeout=60)
                yield frame
                if "method" not in frame:
                    return
        finally:
            del self.waiting[mine]

    def cancel(self, message):
        wanted = message["params"].get("requestId")
        for mine, (_, theirs, _) in list(self.waiting.items()):
            if theirs == wanted:
                self.send({**message, "params": {**message["params"], "requestId": mine}})

    def read(self):
        for line in self.process.stdout:
            frame = json.loads(line)
            if "method" not in frame and frame.get("id") in self.waiting:
                frames, theirs, _ = self.waiting[frame["id"]]
                frames.put({**frame, "id": theirs})
            else:
                self.route(frame)
        for frames, theirs, _ in list(self.waiting.values()):
            frames.put({"jsonrpc": "2.0", "id": theirs, "error": {"code": -32000, "message": "the server ended"}})

    def route(self, frame):
        """A notification or a request of the server: to the request that it belongs to, as well as one can tell."""
        params = frame.get("params", {})
        listening = params.get("_meta", {}).get("io.modelcontextprotocol/subscriptionId")
        if listening in self.waiting:
            frames, theirs, _ = self.waiting[listening]
            params["_meta"]["io.modelcontextprotocol/subscriptionId"] = theirs
            frames.put(frame)
            return
        if frame["method"] != "notifications/resources/updated":
            owners = [frames for frames, _, token in self.waiting.values()
                      if frame["method"] != "notifications/progress" or token == params.get("progressToken")]
            if owners:
                owners[-1].put(frame)
                return
        self.loose.put(frame)

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def answer_json(self, status, message, headers=()):
        self.answer(status, json.dumps(message).encode(), [("Content-Type", "application/json"), *headers])

    def refuse(self, status, code, text, request_id=None):
        self.answer_json(status, {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": text}})

    def is_local(self):
        def host(address):
            return address.rsplit(":", 1)[0] if not address.endswith("]") else address
        origin = self.headers.get("Origin")
        return host(self.headers.get("Host", "")) in LOCAL and (origin is None or host(origin.split("://", 1)[-1]) in LOCAL)

    def stream(self, frames):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for frame in frames:
            self.wfile.write(b"event: message\ndata: " + json.dumps(frame).encode() + b"\n\n")
            self.wfile.flush()
        self.close_connection = True

    def session(self):
        return self.server.sessions.get(self.headers.get("Mcp-Session-Id"))

    def do_DELETE(self):
        session = self.server.sessions.pop(self.headers.get("Mcp-Session-Id"), None)
        if session:
            session.end()
        self.answer(204 if session else 404)

    def do_GET(self):
        session = self.session()
        if not self.is_local() or session is None:
            self.answer(403 if not self.is_local() else 405)
            return
        self.stream(iter(session.loose.get, None))

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not self.is_local():
            self.refuse(403, -32600, "this host or origin is not served")
            return
        try:
            message = json.loads(body)
        except ValueError:
            self.refuse(400, -32700, "not JSON")
            return
        version = self.headers.get("MCP-Protocol-Version", "")
        modern = version > "2025-11-25"
        headers = []
        if modern:
            server = self.server.shared()
        elif message.get("method") == "initialize":
            name = uuid.uuid4().hex
            server = self.server.sessions[name] = Server(self.server.command)
            headers = [("Mcp-Session-Id", name)]
        else:
            server = self.session()
            if server is None:
                self.refuse(404 if "Mcp-Session-Id" in self.headers else 400, -32600, "no such session", message.get("id"))
                return
        if "method" not in message or "id" not in message:
            if message.get("method") == "notifications/cancelled":
                server.cancel(message)
            else:
                server.send(message)
            self.answer(202)
            return
        frames = server.request(message)
        first = next(frames)
        if "method" in first:
            self.stream(itertools.chain([first], frames))
            return
        code = first.get("error", {}).get("code")
        status = 200
        if modern and code is not None:
            status = 404 if code == -32601 else 400 if code in (-32700, -32600, -32602, -32020, -32021, -32022) else 200
        self.answer_json(status, first, headers)


class Bridge(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, command):
        super().__init__(("127.0.0.1", 0), Handler)
        self.command, self.sessions, self.one, self.lock = command, {}, None, threading.Lock()

    def shared(self):
        with self.lock:
            if self.one is None or self.one.process.poll() is not None:
                self.one = Server(self.command)
            return self.one

    def end(self):
        for server in [*self.sessions.values(), *([self.one] if self.one else [])]:
            server.end()


def main():
    bridge = Bridge(sys.argv[1:])
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=bridge.shutdown).start())
    print(f"http://127.0.0.1:{bridge.server_port}/mcp", flush=True)
    bridge.serve_forever()
    bridge.end()


main()
