"""The floors of the house: every import points down, each library has one home, every file has its test."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
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


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def floor(module: str) -> int | None:
    return next((index for index, names in enumerate(FLOORS) if any(within(module, name) for name in names)), None)


def is_pure(path: Path) -> bool:
    return any(within(module_name(path), package) for package in PURE)


@cache
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


def test_imports_point_down() -> None:
    assert [f"{module_name(path)} must not import {name}" for path in SOURCES for name in upward(path)] == []


def upward(path: Path) -> Iterator[str]:
    """What a file imports that stands as high as the file itself, or higher."""
    here = module_name(path)
    mine = floor(here)
    for name in imports(path):
        there = floor(name)
        if there is None:
            continue
        sibling = any(within(here, package) and within(name, package) for package in FLOORS[there])
        if not sibling and (mine is None or there >= mine):
            yield name


def test_every_library_has_one_home() -> None:
    assert [f"{module_name(path)} must not import {name}" for path in SOURCES for name in foreign(path)] == []


def foreign(path: Path) -> Iterator[str]:
    """The libraries that a file imports and that have their home elsewhere."""
    here = module_name(path)
    for name in imports(path):
        root = name.partition(".")[0]
        if root in sys.stdlib_module_names or floor(name) is not None:
            continue
        if not any(within(here, owner) for owner in LIBRARIES.get(root, ())):
            yield name


def test_the_core_is_pure() -> None:
    pure = [path for path in SOURCES if is_pure(path)]
    assert len(pure) > 50
    assert [f"{path}: {what} does not belong here" for path in pure for what in impure(path)] == []


def impure(path: Path) -> Iterator[str]:
    """Imports and calls that reach out of a file: clock, chance, environment, I/O, libraries but numpy."""
    for name in imports(path):
        root = name.partition(".")[0]
        known = root in sys.stdlib_module_names or root == "numpy" or within(name, "analysis")
        if not known or root in IMPURE_MODULES:
            yield name
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in IMPURE_CALLS:
                yield f"{called}() in line {node.lineno}"


def test_nouns_are_frozen() -> None:
    nouns = [
        node
        for path in sorted(NOUNS.glob("*.py"))
        for node in tree(path).body
        if isinstance(node, ast.ClassDef) and not any(ast.unparse(base) == "Protocol" for base in node.bases)
    ]
    assert len(nouns) > 20
    assert [node.name for node in nouns if not is_frozen(node)] == []


def is_frozen(node: ast.ClassDef) -> bool:
    return any(ast.unparse(it).startswith("dataclass(frozen=True, slots=True") for it in node.decorator_list)


def test_files_are_small() -> None:
    lengths = {module_name(path): len(path.read_text("utf-8").splitlines()) for path in [*SOURCES, *TESTS]}
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}


def test_every_file_stands_on_a_floor() -> None:
    assert [name for name in map(module_name, SOURCES) if floor(name) is None and name != "analysis"] == []


def test_every_file_has_its_test() -> None:
    shown = [path for path in SOURCES if floor(module_name(path)) and not path.is_relative_to(NOUNS) and logic(path)]
    assert len(shown) > 200
    missing = [path for path in shown if not mirror(path).is_file()]
    assert [f"{mirror(path).relative_to(ROOT)}: it shows {', '.join(logic(path))}" for path in missing] == []


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
