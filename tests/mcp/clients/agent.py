"""A scripted agent finds and mends a fault in a small repository, by tool calls alone."""
import asyncio
import pathlib
import subprocess
import sys
import tempfile

from mcp import Client, StdioServerParameters

import checks

FILES = {
    "calc/__init__.py": "",
    "calc/money.py": '"""Money in whole cents."""\n\n\ndef split(cents, people):\n    """Divide an amount among people; the first ones get the cents that are left over."""\n'
                     "    share = cents // people\n    return [share] * people\n",
    "calc/text.py": 'def shout(words):\n    return " ".join(words).upper() + "!"\n',
    "tests/test_money.py": "import unittest\n\nfrom calc.money import split\n\n\nclass Split(unittest.TestCase):\n"
                           "    def test_even(self):\n        self.assertEqual(split(90, 3), [30, 30, 30])\n\n"
                           "    def test_nothing_is_lost(self):\n        self.assertEqual(split(100, 3), [34, 33, 33])\n",
    "tests/__init__.py": "",
    ".gitignore": "__pycache__/\n",
}
TEST = "python3 -m unittest -q"


def git(folder, *words):
    subprocess.run(["git", "-C", folder, "-c", "user.name=t", "-c", "user.email=t@localhost", *words], check=True,
                   stdout=subprocess.DEVNULL)


async def mend(client):
    """Yield (what was done, whether it went as it should)."""
    async def ask(tool, **arguments):
        result = await client.call_tool(tool, arguments)
        text = "".join(block.text for block in result.content if block.type == "text")
        assert not result.is_error, f"{tool}: {text}"
        return result.structured_content, text

    _, listing = await ask("list_files")
    yield "the repository is listed", "calc/money.py" in listing and "tests/test_money.py" in listing
    ran, text = await ask("execute", command=TEST)
    yield "its test fails", ran["exit_code"] != 0 and "test_nothing_is_lost" in text
    _, found = await ask("grep", pattern=r"def split\(", mode="content")
    yield "the function is found", "calc/money.py:4:" in found
    _, source = await ask("read_file", path="calc/money.py")
    yield "and read", "[share] * people" in source
    await ask("edit_file", path="calc/money.py", old="    share = cents // people\n    return [share] * people\n",
              new="    share, left = divmod(cents, people)\n    return [share + (i < left) for i in range(people)]\n")
    ran, text = await ask("execute", command=TEST)
    yield "the test passes", ran["exit_code"] == 0
    _, status = await ask("git_status")
    yield "one file changed", "calc/money.py" in status and "text.py" not in status
    _, diff = await ask("git_diff")
    yield "the diff says how", "-    return [share] * people" in diff and "+    share, left = divmod(cents, people)" in diff


async def main():
    with tempfile.TemporaryDirectory(prefix="berth-agent-") as folder:
        for name, content in FILES.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        git(folder, "init", "-q")
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", "begin")
        command, *arguments = checks.server_command(folder)
        with checks.case("agent: a failing test is mended end to end"):
            async with Client(StdioServerParameters(command=command, args=arguments)) as client:
                async for step, went_well in mend(client):
                    checks.report(f"agent: {step}", None if went_well else "it did not")


asyncio.run(main())
sys.exit(1 if checks.failed else 0)
