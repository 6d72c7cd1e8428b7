"""Rules about operations, and about what must be written down."""

import re
from pathlib import Path

import msgspec
import pytest

from sitehive.app import registry
from sitehive.cli import main
from sitehive.features.sites.types import SiteConfig
from sitehive.kernel import limits
from sitehive.kernel.operation import Operation
from sitehive.settings import Settings

ROOT = Path(__file__).parents[2]
OPERATIONS = list(registry())


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_an_operation_explains_itself(operation: Operation) -> None:
    assert operation.summary
    assert re.fullmatch(r"[a-z-]+\.[a-z_]+", operation.name)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_an_input_refuses_unknown_fields(operation: Operation) -> None:
    assert operation.input.__struct_config__.forbid_unknown_fields


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_no_pattern_lets_a_line_break_pass(operation: Operation) -> None:
    """In Python, a dollar sign also stands before a last line break."""
    for field in operation.shape.fields:
        for pattern in re.findall(r"pattern='(.*?)'[,)]", repr(field.type)):
            assert "$" not in pattern or pattern.endswith("(?!\\\\n)"), (field.name, pattern)


def settings_page() -> str:
    return (ROOT / "docs" / "settings.md").read_text("utf-8")


@pytest.mark.parametrize("name", [field.name for field in msgspec.structs.fields(Settings)])
def test_a_setting_is_documented(name: str) -> None:
    assert f"`SITEHIVE_{name.upper()}`" in settings_page()


@pytest.mark.parametrize("name", re.findall(r'_limit\("(\w+)"', Path(limits.__file__).read_text("utf-8")))
def test_a_limit_is_documented(name: str) -> None:
    assert f"`SITEHIVE_{name}`" in settings_page()


@pytest.mark.parametrize("name", SiteConfig.__struct_fields__)
def test_a_site_setting_is_documented(name: str) -> None:
    assert f"`{name}`" in settings_page()


@pytest.mark.parametrize("name", sorted(main.commands))
def test_a_command_is_documented(name: str) -> None:
    assert f"sitehive {name}" in (ROOT / "docs" / "command-line.md").read_text("utf-8")
