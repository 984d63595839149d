#!/usr/bin/env python3
"""Check that includes go one way: each layer of src/ includes only the layers below it, and headers of third parties
appear only in the .cc files (and *_internal.h, for one folder's own use) of the layers that own them. Prints each offence as FILE:LINE and exits 1."""
import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "src"
BELOW = {
    "base": [],
    "path": ["base"],
    "contract": ["path", "base"],
    "os": ["contract", "path", "base"],
    "net": ["base"],
    "search": ["os", "contract", "path", "base"],
    "engine": ["search", "os", "contract", "path", "base"],
    "guest": ["workspace", "engine", "search", "os", "contract", "path", "base"],
    "workspace": ["contract", "path", "base"],
    "policy": ["workspace", "os", "contract", "path", "base"],
    "store": ["os", "contract", "path", "base"],
    "providers": ["guest", "workspace", "engine", "store", "search", "os", "contract", "path", "base"],
    "tools": ["policy", "workspace", "contract", "path", "base"],
    "surface": ["tools", "policy", "providers", "workspace", "engine", "store", "search", "net", "os", "contract", "path", "base"],
}
# The first part of a third party's header, and the layers whose .cc files may use it.
THIRD_PARTY = {
    "openssl": ["base"], "re2": ["search"], "sqlite3.h": ["store"],
    "nlohmann": ["policy", "store", "providers", "tools", "surface"], "fmt": ["policy", "tools", "surface"],
    "CLI": ["surface"], "boost": ["net"], "toml++": ["policy"],
}
# Layers whose own values are JSON, so that their headers may name it.
JSON_HEADERS = {"tools", "surface"}
TEST_ONLY = {"gtest", "gmock", "rapidcheck", "rapidcheck.h", "nlohmann", "testing"}
SYSTEM = {"sys", "linux", "asm", "net", "netinet", "arpa", "bits"}


def offences(file):
    layer, is_test = file.relative_to(SOURCE).parts[0], bool(re.search(r"_(test|fixtures?)\.(cc|h)$", file.name))
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not match:
            continue
        first = match[2].split("/")[0]
        if is_test and first in TEST_ONLY:
            continue
        if match[1] == '"':
            if "/" in match[2] and first != layer and first not in BELOW.get(layer, []):
                yield number, f"{layer} must not include {match[2]}"
            elif first == layer and match[2].endswith("_internal.h") and (SOURCE / match[2]).parent != file.parent:
                yield number, f"{match[2]} is for its own folder"
            elif layer == "providers" and first == "store" and "state" not in file.parts:
                yield number, "only providers/state uses a store"
        elif first in THIRD_PARTY:
            if layer not in THIRD_PARTY[first]:
                yield number, f"{layer} must not use <{match[2]}>"
            elif (file.suffix == ".h" and not file.name.endswith("_internal.h")
                  and not (first == "nlohmann" and layer in JSON_HEADERS)):
                yield number, f"<{match[2]}> belongs in .cc files"
        elif "/" in match[2] and first not in SYSTEM:
            yield number, f"<{match[2]}> is not a known third party: name it in tools/check_includes.py"


found = [f"{file.relative_to(SOURCE.parent)}:{number}: {what}"
         for file in sorted(SOURCE.rglob("*")) if file.suffix in (".h", ".cc", ".inc") for number, what in offences(file)]
unknown = sorted({entry.name for entry in SOURCE.iterdir() if entry.is_dir()} - BELOW.keys())
found += [f"src/{name}: not a known layer: name it in tools/check_includes.py" for name in unknown]
print("\n".join(found) if found else "includes: one way")
sys.exit(1 if found else 0)
