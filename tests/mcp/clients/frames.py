"""Validate every frame that the server sent, as recorded, against the published schema of its revision."""
import functools
import json
import os
import pathlib

import jsonschema
import referencing

import checks

CLIENTS = pathlib.Path(os.environ.get("BERTH_CLIENTS", checks.SOURCE / "build" / ".clients"))
MODERN, LEGACY = "2026-07-28", "2025-11-25"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
RESULTS = {
    "initialize": "InitializeResult", "server/discover": "DiscoverResult", "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult", "resources/list": "ListResourcesResult", "resources/read": "ReadResourceResult",
    "resources/templates/list": "ListResourceTemplatesResult", "prompts/list": "ListPromptsResult",
    "prompts/get": "GetPromptResult", "completion/complete": "CompleteResult",
    "subscriptions/listen": "SubscriptionsListenResult",
}


@functools.cache
def validator(revision, name):
    schema = json.loads((CLIENTS / "schema" / f"{revision}.json").read_text())
    registry = referencing.Registry().with_resource(
        "mcp", referencing.Resource.from_contents(schema, default_specification=referencing.jsonschema.DRAFT202012))
    return jsonschema.Draft202012Validator({"$ref": f"mcp#/$defs/{name}"}, registry=registry)


def fault(revision, name, value):
    error = jsonschema.exceptions.best_match(validator(revision, name).iter_errors(value))
    return error and f"{name} at /{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}"


def faults(recorded):
    """Yield (frame, what is wrong) for each frame of the server that its schema refuses."""
    requests = {}  # id -> (revision, method)
    for line in recorded:
        record = json.loads(line)
        try:
            frame = json.loads(record["frame"])
        except ValueError:
            if record["from"] == "server":
                yield record["frame"], "not JSON"
            continue
        if record["from"] == "client":
            if "method" in frame and "id" in frame:
                meta = frame.get("params", {}).get("_meta", {})
                revision = MODERN if VERSION_KEY in meta and frame["method"] != "initialize" else LEGACY
                requests[json.dumps(frame["id"])] = (revision, frame["method"])
            continue
        if "method" in frame:
            modern = any(revision == MODERN for revision, _ in requests.values())
            legacy = any(revision == LEGACY and method == "initialize" for revision, method in requests.values())
            wrong = [fault(revision, "ServerNotification" if "id" not in frame else "ServerRequest", frame)
                     for revision in ([MODERN] if modern and not legacy else [LEGACY])]
        else:
            revision, method = requests.get(json.dumps(frame.get("id")), (LEGACY, None))
            name = "JSONRPCErrorResponse" if "error" in frame else "JSONRPCResultResponse"
            wrong = [fault(revision, name, frame)]
            if "result" in frame:
                asks = revision == MODERN and frame["result"].get("resultType") == "input_required"
                name = "InputRequiredResult" if asks else RESULTS.get(method, "EmptyResult")
                wrong.append(fault(revision, name, frame["result"]))
        for what in filter(None, wrong):
            yield frame, what


def check(name, file):
    """Report one case for a recording."""
    lines = pathlib.Path(file).read_text().splitlines()
    sent = sum(json.loads(line)["from"] == "server" for line in lines)
    wrong = list(faults(lines))
    if not sent:
        checks.report(f"{name}: frames fit the published schema", "no frame was recorded")
    elif wrong:
        checks.report(f"{name}: frames fit the published schema",
                      f"{len(wrong)} of {sent} do not; the first: {wrong[0][1]} in {json.dumps(wrong[0][0])[:500]}")
    else:
        checks.report(f"{name}: frames fit the published schema")
