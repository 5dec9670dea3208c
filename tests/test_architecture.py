"""The floors of the house: every import points down, each library has one home, every file has its test."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FLOORS = (  # lowest first
    ("sample_sessions",),  # data: whoever needs it may ask where it lies
    ("analysis.model",),
    ("analysis.core",),
    ("analysis.causes",),
    ("analysis.formats", "analysis.render", "analysis.live", "analysis.store"),
    ("analysis.pipeline", "analysis.report"),
    ("app",),
    ("pages",),
)
LIBRARIES = {  # third-party name -> the modules that may say it
    "transformers": ("analysis.render",),
    "tokenizers": ("analysis.render",),
    "jinja2": ("analysis.render",),
    "httpx": ("analysis.live",),
    "uvicorn": ("analysis.live",),
    "duckdb": ("analysis.store",),
    "pyarrow": ("analysis.store", "analysis.formats.zip_members"),
    "msgspec": ("analysis.formats",),
    "yaml": ("analysis.formats",),
    "pandas": ("analysis.store", "app"),
    "plotly": ("app",),
    "streamlit": ("app", "pages"),
    "typer": (
        "app.cli",
        "app.options",
        "app.terminal",
        "app.check_command",
        "app.commands",
        "app.convert_command",
        "app.record_command",
        "app.report_command",
        "app.store_command",
    ),
    "numpy": ("analysis", "app"),
}
PURE = ("analysis.model", "analysis.core", "analysis.causes")  # no clock, chance, environment or I/O
IMPURE_MODULES = ("time", "os", "random", "logging", "pathlib", "io", "socket", "subprocess", "secrets", "tempfile")
IMPURE_CALLS = {"open", "print", "input", "now", "today", "utcnow"}
NOUNS = ROOT / "analysis" / "model"  # dataclasses without behaviour
MOST_LINES = 350


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


SOURCES = [path for folder in ("analysis", "app", "pages") for path in sorted((ROOT / folder).rglob("*.py"))]
TESTS = sorted((ROOT / "tests").rglob("*.py"))
every_source = pytest.mark.parametrize("path", SOURCES, ids=module_name)


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def floor(module: str) -> int | None:
    return next((index for index, names in enumerate(FLOORS) if any(within(module, name) for name in names)), None)


def is_pure(path: Path) -> bool:
    return any(within(module_name(path), package) for package in PURE)


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: absolute imports only"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def logic(path: Path) -> list[str]:
    """What a file does and a test of its own must show.

    In ``analysis`` that is every function with a body: a file that only declares (constants, an exception, dataclasses,
    a Protocol whose methods are docstrings) has none.  In ``app`` it is every public function that says nothing to
    Streamlit: those that draw are seen on the pages, in ``tests/app/test_pages.py``.
    """
    found = [node for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef) and not is_declaration(node)]
    if within(module_name(path), "app"):
        found = [node for node in found if not node.name.startswith("_") and not draws(node)]
    return [node.name for node in found]


def is_declaration(node: ast.FunctionDef) -> bool:
    """A method of a Protocol: nothing but a docstring."""
    return all(isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) for line in node.body)


def draws(node: ast.FunctionDef) -> bool:
    return any(isinstance(name, ast.Name) and name.id == "st" for name in ast.walk(node))


def mirror(path: Path) -> Path:
    """The test of a source file; the functions of a package itself are tested under the package's name."""
    inner = path.relative_to(ROOT)
    if path.name == "__init__.py":
        return ROOT / "tests" / inner.parent / f"test_{inner.parent.name}.py"
    return ROOT / "tests" / inner.with_name(f"test_{inner.name}")


@every_source
def test_imports_point_down(path: Path) -> None:
    here = module_name(path)
    for name in imports(path):
        there = floor(name)
        if there is None:
            continue
        sibling = any(within(here, package) and within(name, package) for package in FLOORS[there])
        mine = floor(here)
        assert sibling or (mine is not None and there < mine), f"{here} must not import {name}"


@every_source
def test_every_library_has_one_home(path: Path) -> None:
    here = module_name(path)
    for name in imports(path):
        root = name.partition(".")[0]
        if root in sys.stdlib_module_names or floor(name) is not None:
            continue
        owners = LIBRARIES.get(root, ())
        assert any(within(here, owner) for owner in owners), f"{here} must not import {name}"


@pytest.mark.parametrize("path", [path for path in SOURCES if is_pure(path)], ids=module_name)
def test_the_core_is_pure(path: Path) -> None:
    for name in imports(path):
        root = name.partition(".")[0]
        known = root in sys.stdlib_module_names or root == "numpy" or within(name, "analysis")
        assert known, f"{module_name(path)} must not import {name}"
        assert root not in IMPURE_MODULES, f"{module_name(path)} must not import {name}"
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            assert called not in IMPURE_CALLS, f"{path}:{node.lineno}: {called}() does not belong here"


@pytest.mark.parametrize("path", sorted(NOUNS.glob("*.py")), ids=module_name)
def test_nouns_are_frozen(path: Path) -> None:
    for node in tree(path).body:
        if isinstance(node, ast.ClassDef) and not any(ast.unparse(base) == "Protocol" for base in node.bases):
            decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
            assert any(it.startswith("dataclass(frozen=True, slots=True") for it in decorators), node.name


@pytest.mark.parametrize("path", [*SOURCES, *TESTS], ids=module_name)
def test_file_is_small(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= MOST_LINES


@every_source
def test_every_file_stands_on_a_floor(path: Path) -> None:
    assert floor(module_name(path)) is not None or path == ROOT / "analysis" / "__init__.py"


@pytest.mark.parametrize(
    "path",
    [path for path in SOURCES if floor(module_name(path)) and not path.is_relative_to(NOUNS) and logic(path)],
    ids=module_name,
)
def test_every_file_has_its_test(path: Path) -> None:
    assert mirror(path).is_file(), f"{mirror(path).relative_to(ROOT)} is missing: it shows {', '.join(logic(path))}"


@pytest.mark.parametrize(
    ("source", "names"),
    [
        pytest.param("class Refused(ValueError):\n    'why'", [], id="an exception"),
        pytest.param("class Form(Protocol):\n    def read(self) -> int:\n        'Read it.'", [], id="a Protocol"),
        pytest.param("@dataclass\nclass Count:\n    n: int = 0\nMOST = 9", [], id="a dataclass and a constant"),
        pytest.param("@property\ndef double(self):\n    return 2", ["double"], id="a property"),
        pytest.param("def _inner():\n    'Doc.'\n    return st.title", ["_inner"], id="any function with a body"),
    ],
)
def test_what_counts_as_logic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, names: list[str]) -> None:
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    for folder, expected in (("analysis", names), ("app", [name for name in names if not name.startswith("_")])):
        path = tmp_path / folder / "made.py"
        path.parent.mkdir()
        path.write_text(source)
        assert logic(path) == expected


def test_every_page_is_opened() -> None:
    opened = (ROOT / "tests" / "app" / "test_pages.py").read_text("utf-8")
    assert not [path.name for path in (ROOT / "pages").glob("[a-z]*.py") if f'"{path.stem}"' not in opened]


def test_samples_are_data() -> None:
    body = tree(ROOT / "sample_sessions" / "__init__.py").body
    assert len(body) == 1 and isinstance(body[0], ast.Expr), "a docstring and nothing else"
