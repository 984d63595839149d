from __future__ import annotations

import errno
import pickle

import pytest

from berth import Workspace, WorkspaceError, _native, details, errors


@pytest.mark.parametrize("row", _native.error_rows(), ids=lambda row: row[0])
def test_every_row_of_the_error_table_has_its_class(row: tuple[str, str, str, int]) -> None:
    code, python_class, python_base, number = row
    kind = errors.class_for(python_class)
    assert issubclass(kind, errors.class_for(python_base))
    assert kind.__module__ == "builtins" or issubclass(kind, WorkspaceError)
    made = errors.make_error(python_class, number, code, "what happened", "a/path", "what to do", False, {})
    assert type(made) is kind
    assert getattr(made, "errno") == number
    for part in ("what happened", "what to do", "a/path"):
        assert part in str(made)


def test_every_class_of_ours_is_in_the_table() -> None:
    named = {row[1] for row in _native.error_rows()}
    ours = {name for name, value in vars(errors).items()
            if isinstance(value, type) and issubclass(value, WorkspaceError) and value is not WorkspaceError}
    assert ours == {name for name in named if name in ours} and ours <= named


def test_an_exception_tells_what_programs_need(workspace: Workspace) -> None:
    with pytest.raises(FileNotFoundError) as raised:
        workspace.read("no/file")
    assert raised.value.errno == errno.ENOENT
    assert raised.value.filename == "no/file"
    told = details(raised.value)
    assert told is not None and (told.code, told.path, told.retryable) == ("not_found", "no/file", False)
    assert told.hint
    assert details(ValueError("from elsewhere")) is None


def test_an_exception_survives_pickling(workspace: Workspace) -> None:
    for call in (lambda: workspace.read("x"), lambda: workspace.read("../x"), lambda: workspace.edit("x", ("", "a"))):
        with pytest.raises(Exception) as raised:
            call()
        again = pickle.loads(pickle.dumps(raised.value))
        assert type(again) is type(raised.value) and details(again) == details(raised.value)
        assert str(again) == str(raised.value)


def test_values_are_plain_dataclasses(workspace: Workspace) -> None:
    workspace.write("f", "x")
    page = workspace.read("f")
    assert pickle.loads(pickle.dumps(page)) == page
    assert repr(page).startswith("ReadPage(content=b'x'")
    with pytest.raises(AttributeError):
        page.content = b""  # type: ignore[misc]
