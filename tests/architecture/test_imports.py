"""Who may import whom. The rooms are described in ARCHITECTURE.md."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import sitehive

SOURCE = Path(sitehive.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))

# For each room, the prefixes of our own modules that it may import.
MAY_IMPORT = {
    "kernel": ("sitehive.kernel",),
    "backends": ("sitehive.kernel", "sitehive.backends"),
    "features": ("sitehive.kernel", "sitehive.features"),
    "surfaces": ("sitehive.kernel", "sitehive.surfaces"),
}
KERNEL_LIBRARIES = {"msgspec"}
SWAMPS = {"utils", "helpers", "common", "manager", "misc", "service", "views"}
MAX_LINES = 300


def imports(module: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively"
            for alias in node.names:
                yield f"{node.module}.{alias.name}"


def name_of(module: Path) -> str:
    return str(module.relative_to(SOURCE))


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_a_module_imports_only_what_its_room_may(module: Path) -> None:
    room = module.relative_to(SOURCE).parts[0]
    allowed = MAY_IMPORT.get(room)
    if allowed is None:
        return  # app.py, settings.py and the command line put the rest together
    for imported in imports(module):
        if imported.startswith("sitehive.") and imported != "sitehive.__version__":
            parts = tuple(imported.split(".")[:2])
            assert ".".join(parts) in allowed, f"{name_of(module)} imports {imported}"


@pytest.mark.parametrize("module", [m for m in MODULES if "kernel" in m.parts], ids=name_of)
def test_the_kernel_needs_almost_nothing(module: Path) -> None:
    for imported in imports(module):
        root = imported.partition(".")[0]
        assert root == "sitehive" or root in KERNEL_LIBRARIES or root in sys.stdlib_module_names, imported


@pytest.mark.parametrize("module", [m for m in MODULES if "features" in m.parts], ids=name_of)
def test_no_feature_calls_another_ones_operations(module: Path) -> None:
    for imported in imports(module):
        parts = imported.split(".")
        if parts[:2] == ["sitehive", "features"] and "operations" in parts:
            assert parts[2] == module.parent.name, f"{name_of(module)} imports {imported}"


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_a_file_is_short_and_is_no_drawer(module: Path) -> None:
    assert len(module.read_text("utf-8").splitlines()) <= MAX_LINES
    assert module.stem not in SWAMPS


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_a_file_says_what_it_is(module: Path) -> None:
    assert ast.get_docstring(ast.parse(module.read_text("utf-8")))
