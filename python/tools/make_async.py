#!/usr/bin/env python3
"""Write berth/async_workspace.py from berth/workspace.py: the same classes whose calls are awaited.

usage: make_async.py [--check]   (--check: say whether the file is as it would be written, exit 1 when not)
"""
import pathlib
import re
import sys

PACKAGE = pathlib.Path(__file__).resolve().parent.parent / "src" / "berth"


def make_async(text):
    text = text.replace(
        '"""Workspaces for programs that wait: `Workspace` and `Repository`. `berth.async_workspace` is made from this file."""',
        '"""Workspaces for programs on asyncio or trio. Made from berth/workspace.py by tools/make_async.py: change that."""')
    parts = re.split(r"(?m)^(?=    def |    @|class )", text)
    made = []
    for part in parts:
        if part.startswith("    def ") and re.search(r"self\._do\(|operation\.run\(|    def __(enter|exit)__", part):
            part = part.replace("    def ", "    async def ", 1)
        made.append(part)
    text = "".join(made)
    text = text.replace("    @classmethod\n    def open", "    @classmethod\n    async def open")
    text = re.sub(r"(?<!def )self\._do\(", "await self._do(", text)
    text = text.replace("return operation.run(self._timeout)", "return await finish(operation, self._timeout)")
    text = text.replace("native = operation.run(timeout)", "native = await finish(operation, timeout)")
    text = text.replace("repository.require_clean()\n        return", "await repository.require_clean()\n        return")
    text = text.replace("__enter__", "__aenter__").replace("__exit__", "__aexit__")
    text = re.sub(r"\bWorkspace\b(?=[:\](]| \(|$| read| be|\.repository|\n)", "AsyncWorkspace", text, flags=re.M)
    text = re.sub(r"(?<![A-Za-z.`_])Repository\b", "AsyncRepository", text)
    text = text.replace("_native.AsyncWorkspace", "_native.Workspace").replace("_native.AsyncRepository", "_native.Repository")
    text = text.replace("from berth.errors import WorkspacePathError", "from berth._waiting import finish\nfrom berth.errors import WorkspacePathError")
    return text


source, target = PACKAGE / "workspace.py", PACKAGE / "async_workspace.py"
made = make_async(source.read_text())
if "--check" in sys.argv:
    sys.exit(0 if target.exists() and target.read_text() == made else "async_workspace.py is not made from workspace.py")
target.write_text(made)
