#!/usr/bin/env python3
"""Write docs/providers.md: which subject keeps which rule of the contract, as the conformance suite finds it.

usage: matrix.py BUILD           run the suite's programs of a build folder (build/dev) and write the page
       matrix.py BUILD --check   only see that the page has every rule and every subject the programs have, and no other
"""
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
PAGE = SOURCE / "docs" / "providers.md"
PARTS = [("local", "Host directories, and every fallback"), ("policies", "Policies around a host directory"),
         ("state", "Workspaces that are documents"), ("guest", "Through a guest, a process of its own over two pipes")]
CHAPTERS = ["VAL", "PATH", "READ", "WRITE", "EDIT", "PATCH", "GIT", "LIST", "SEARCH", "RUN", "ENV", "POL"]
TEST = re.compile(r"C_([A-Z]+)_(\d+)_")
INTRO = """# Providers

Which workspace keeps which rule of [the contract](contract/README.md), as the suite in [`conformance/`](../conformance) found it.
Made by `make docs-providers`; do not edit.

- **pass**: every test of the rule passes.
- **refused**: the subject does not offer the capability, and says so with the typed refusal (`unsupported`, `read_only`).
- **partly refused**: some tests of the rule need a capability that the subject refuses; the others pass.
- **deviation**: the rule is not kept, for the reason given below the table.
- **–**: the case does not arise (a document holds no links or special files, and is no host directory).
"""


def program(build, part):
    return build / "test" / f"conformance_{part}_test"


def rule_of(test):
    match = TEST.match(test)
    return (CHAPTERS.index(match[1]), int(match[2]), f"C-{match[1]}-{match[2]}") if match else None


def listed(build, part):
    """The rules and the names of the subjects that a program has."""
    text = subprocess.run([program(build, part), "--gtest_list_tests"], check=True, capture_output=True, text=True).stdout
    rules, subjects = set(), []
    for line in text.splitlines():
        match = re.match(r"  (C_\w+)/(\w+)", line)
        if match:
            rules.add(rule_of(match[1]))
            if match[2] not in subjects:
                subjects.append(match[2])
    return sorted(rules), subjects


def results(build, part):
    """Outcomes by rule and subject."""
    with tempfile.TemporaryDirectory() as scratch:
        report = pathlib.Path(scratch) / "report.json"
        done = subprocess.run([program(build, part), f"--gtest_output=json:{report}", "--gtest_brief=1"], cwd=SOURCE,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if not report.exists():
            sys.exit(done.stdout)
        suites = json.loads(report.read_text())["testsuites"]
    outcomes = collections.defaultdict(list)
    for suite in suites:
        for case in suite["testsuite"]:
            name, _, subject = case["name"].partition("/")
            rule = rule_of(name)
            if rule is None or not subject:
                continue
            if case.get("failures"):
                sys.exit(f"{case['classname']}.{case['name']} fails: no page is written from a broken suite")
            outcomes[rule, subject].append((name, case.get("deviation"), case.get("outcome")))
    return outcomes


def cell(tests, notes):
    if not tests:
        return "–"
    reasons = [reason for _, reason, _ in tests if reason]
    if reasons:
        for reason in reasons:
            if reason not in notes:
                notes.append(reason)
        return "deviation " + ", ".join(str(notes.index(reason) + 1) for reason in dict.fromkeys(reasons))
    refused = sum(outcome == "refused" for _, _, outcome in tests)
    return "refused" if refused == len(tests) else "partly refused" if refused else "pass"


def write(build):
    page = INTRO
    with concurrent.futures.ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda part: results(build, part[0]), PARTS))
    for (part, title), outcomes in zip(PARTS, found):
        rules, subjects = listed(build, part)
        notes = []
        page += f"\n## {title}\n\n| rule | " + " | ".join(f"`{name}`" for name in subjects) + " |\n"
        page += "|---" * (len(subjects) + 1) + "|\n"
        for rule in rules:
            page += f"| {rule[2]} | " + " | ".join(cell(outcomes[rule, name], notes) for name in subjects) + " |\n"
        if notes:
            page += "\nDeviations:\n\n" + "".join(f"{number}. {reason}\n" for number, reason in enumerate(notes, 1))
    PAGE.write_text(page)
    print(f"wrote {PAGE.relative_to(SOURCE)}")


def check(build):
    page = PAGE.read_text() if PAGE.exists() else ""
    sections = dict(zip([title for _, title in PARTS], re.split(r"^## .*$", page, flags=re.M)[1:]))
    for part, title in PARTS:
        rules, subjects = listed(build, part)
        section = sections.get(title, "")
        if re.findall(r"^\| (C-\w+-\d+) \|", section, re.M) != [rule[2] for rule in rules] or \
           re.findall(r"`(\w+)`", section.partition("|---")[0]) != subjects:
            sys.exit(f"docs/providers.md: the part \"{title}\" is not what the suite has: run conformance/matrix.py {build}")
    print("docs/providers.md has every rule and subject of the suite")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or (len(sys.argv) == 3 and sys.argv[2] != "--check"):
        sys.exit(__doc__)
    (check if len(sys.argv) == 3 else write)(pathlib.Path(sys.argv[1]))
