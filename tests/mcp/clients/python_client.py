"""The official Python client against both transports and both eras."""
import asyncio
import pathlib
import sys
import tempfile

import mcp_types as types
from mcp import Client, MCPError, StdioServerParameters

import checks
import frames


async def every_page(fetch, member):
    items, cursor = [], None
    while True:
        page = await fetch(cursor=cursor)
        items += getattr(page, member)
        cursor = page.next_cursor
        if cursor is None:
            return items


async def walk(name, folder, make):
    root = pathlib.Path(folder)
    async with make() as client:
        modern = client.protocol_version == "2026-07-28"
        with checks.case(f"{name}: speaks the era asked for"):
            assert modern == ("legacy" not in name), client.protocol_version
        with checks.case(f"{name}: lists tools"):
            names = [tool.name for tool in await every_page(client.list_tools, "tools")]
            wanted = {call["tool"] for call in checks.WALK["calls"]}
            assert wanted <= set(names), names
        for call in checks.WALK["calls"]:
            with checks.case(f"{name}: {call['name']}"):
                result = await client.call_tool(call["tool"], call["arguments"])
                text = "".join(block.text for block in result.content if block.type == "text")
                checks.check_call(call, result.is_error, result.structured_content, text)
        with checks.case(f"{name}: an unknown tool is refused"):
            try:
                assert (await client.call_tool("no_such_tool", {})).is_error
            except MCPError as error:
                assert error.error.code == -32602, error
        with checks.case(f"{name}: progress of a long command"):
            heard = []

            async def hear(progress, total, message):
                heard.append(progress)

            await client.call_tool("execute", {"command": "for i in 1 2 3 4 5; do echo $i; sleep 0.3; done"},
                                   progress_callback=hear)
            assert heard and heard == sorted(set(heard)), heard
        with checks.case(f"{name}: a cancelled call kills its command"):
            task = asyncio.create_task(client.call_tool("execute", {"command": "echo $$ > pid; exec sleep 300"}))
            await checks.until(lambda: (root / "pid").exists() and (root / "pid").read_text().strip(), "the command runs")
            pid = int((root / "pid").read_text())
            task.cancel()
            await asyncio.wait([task])
            await checks.until(lambda: not checks.alive(pid), "the command is dead")
        with checks.case(f"{name}: goes on after a cancelled call"):
            assert not (await client.call_tool("read_file", {"path": "README.md"})).is_error
        with checks.case(f"{name}: lists and reads resources"):
            resources = await every_page(client.list_resources, "resources")
            uri = next(str(one.uri) for one in resources if str(one.uri).endswith("README.md"))
            contents = (await client.read_resource(uri)).contents
            assert contents[0].text == "# hi\n", contents
        with checks.case(f"{name}: hears of a changed resource"):
            if modern:
                async with client.listen(resource_subscriptions=[uri]) as subscription:
                    (root / "README.md").write_text("# changed\n")
                    event = await asyncio.wait_for(anext(subscription), 20)
                    assert uri in repr(event), event
            else:
                await client.subscribe_resource(uri)
                (root / "README.md").write_text("# changed\n")
                await asyncio.wait_for(client.updated.wait(), 20)
                await client.unsubscribe_resource(uri)
            (root / "README.md").write_text("# hi\n")
        if not modern:
            with checks.case(f"{name}: ping"):
                await client.send_ping()
        with checks.case(f"{name}: sixteen calls at once"):
            results = await asyncio.gather(*(client.call_tool("read_file", {"path": "README.md"}) for _ in range(16)))
            assert not any(result.is_error for result in results)


async def approvals(name, folder, server, mode):
    """What rules ask about is asked of the client's user; see `--rules preset:default`."""
    asked, answers = [], {"yes.txt": "accept", "no.txt": "decline", "later.txt": "cancel"}

    async def answer(context, params):
        asked.append(params.message)
        action = next(action for path, action in answers.items() if path in params.message)
        return types.ElicitResult(action=action, content={} if action == "accept" else None)

    async with Client(server, mode=mode, elicitation_callback=answer, read_timeout_seconds=60) as client:
        for path, action in answers.items():
            with checks.case(f"{name}: a write that its user answers with {action}"):
                result = await client.call_tool("write_file", {"path": path, "content": "x"})
                text = "".join(block.text for block in result.content if block.type == "text")
                assert result.is_error == (action != "accept"), text
                assert pathlib.Path(folder, path).exists() == (action == "accept")
                assert action == "accept" or "the user refused writing this path" in text, text
                assert len(asked) == 1 and path in asked.pop(), asked
    async with Client(server, mode=mode, read_timeout_seconds=60) as client:
        with checks.case(f"{name}: a client that cannot ask its user is refused"):
            result = await client.call_tool("write_file", {"path": "yes.txt", "content": "y"})
            text = "".join(block.text for block in result.content if block.type == "text")
            assert result.is_error and "cannot ask its user" in text, text


def make_client(server, mode):
    updated = asyncio.Event()

    async def hear(message):
        if isinstance(message, types.ResourceUpdatedNotification):
            updated.set()

    client = Client(server, mode=mode, message_handler=hear, read_timeout_seconds=60)
    client.updated = updated
    return client


async def main():
    for mode in ("auto", "legacy"):
        with checks.workspace() as folder, tempfile.NamedTemporaryFile() as recorded:
            command, *arguments = checks.server_command(folder, record=recorded.name)
            with checks.case(f"python stdio {mode}"):
                await walk(f"python stdio {mode}", folder,
                           lambda: make_client(StdioServerParameters(command=command, args=arguments), mode))
            frames.check(f"python stdio {mode}", recorded.name)
        with checks.workspace() as folder, tempfile.NamedTemporaryFile() as recorded:
            name = f"python stdio {mode} with rules"
            command, *arguments = checks.server_command(folder, record=recorded.name, rules="preset:default")
            with checks.case(name):
                await approvals(name, folder, StdioServerParameters(command=command, args=arguments), mode)
            frames.check(name, recorded.name)
        with checks.workspace() as folder, checks.case(f"python http {mode} with rules"):
            with checks.http_server(folder, rules="preset:default") as url:
                await approvals(f"python http {mode} with rules", folder, url, mode)
        with checks.workspace() as folder, checks.case(f"python http {mode}"):
            with checks.http_server(folder) as url:
                await walk(f"python http {mode}", folder, lambda: make_client(url, mode))


asyncio.run(main())
sys.exit(1 if checks.failed else 0)
