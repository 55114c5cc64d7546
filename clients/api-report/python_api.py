"""Prints the exported API of the package in a folder: `python3 python_api.py FOLDER`, one line of
JSON for each item.

The sources are only parsed, so nothing must be installed. Names without an underscore are public:
modules and their members, and names that the package imports from private modules.
"""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

PACKAGE = Path(sys.argv[1])


def main() -> None:
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        module = ".".join(part for part in parts if part != "__init__")
        if not any(part.startswith("_") for part in module.split(".")):
            describe_module(module, ast.parse(path.read_text()))
    exported = ast.parse((PACKAGE / "__init__.py").read_text())
    for statement in exported.body:
        if isinstance(statement, ast.ImportFrom) and statement.level == 1:
            describe_imported(statement)


def describe_imported(statement: ast.ImportFrom) -> None:
    module = statement.module or ""
    names = {alias.name for alias in statement.names}
    for name in names:
        say("tollgate_client", f"export {name}")
    if module.startswith("_"):
        path = PACKAGE / f"{module}.py"
        describe_module("", ast.parse(path.read_text()), only=names)


def describe_module(module: str, tree: ast.Module, only: set[str] | None = None) -> None:
    owner = f"tollgate_client.{module}".rstrip(".")
    for statement in tree.body:
        name = name_of(statement)
        if name is None or (name.startswith("_") if only is None else name not in only):
            continue
        if isinstance(statement, ast.ClassDef):
            describe_class(f"{owner}.{name}", statement)
        elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            describe_function(f"{owner}.{name}", statement)
        elif isinstance(statement, ast.AnnAssign):
            say(owner, f"{name}: {ast.unparse(statement.annotation)}")
        elif name.isidentifier():
            say(owner, name)


def name_of(statement: ast.stmt) -> str | None:
    if isinstance(statement, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        return statement.name
    target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
    return target.id if isinstance(target, ast.Name) else None


def describe_class(owner: str, statement: ast.ClassDef) -> None:
    bases = ", ".join(ast.unparse(base) for base in statement.bases)
    say(owner, f"class ({bases})")
    # Fields of a dataclass and a TypedDict are set by name; a protocol requires every method.
    is_given = "TypedDict" in bases or any("dataclass" in ast.unparse(each) for each in statement.decorator_list)
    is_partial = any(each.arg == "total" for each in statement.keywords)
    is_answer = "Answer" in bases or owner.endswith(("Notification", "LogEntry", "TransportRequest"))
    for member in statement.body:
        name = name_of(member)
        if name is None or (name.startswith("_") and name != "__init__"):
            continue
        if isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef)):
            describe_method(owner, member, is_required="Protocol" in bases)
        elif isinstance(member, ast.AnnAssign):
            annotation = ast.unparse(member.annotation)
            is_optional = is_partial or member.value is not None or annotation.startswith("NotRequired")
            say(owner, f"{name}: {annotation}", is_given and not is_optional and not is_answer)
        else:
            say(owner, name)


def describe_method(owner: str, member: ast.FunctionDef | ast.AsyncFunctionDef, is_required: bool) -> None:
    decorators = [ast.unparse(each) for each in member.decorator_list]
    if "property" in decorators or "cached_property" in decorators:
        say(owner, f"{member.name} -> {returned(member)}", is_required)
    else:
        describe_function(f"{owner}.{member.name}", member, is_required, owner)


def describe_function(
    name: str,
    member: ast.FunctionDef | ast.AsyncFunctionDef,
    is_required: bool = False,
    owner: str | None = None,
) -> None:
    waits = "async " if isinstance(member, ast.AsyncFunctionDef) else ""
    say(owner or name, f"{waits}def {member.name} -> {returned(member)}", is_required)
    arguments = member.args
    by_place = [*arguments.posonlyargs, *arguments.args]
    missing = len(by_place) - len(arguments.defaults)
    for index, each in enumerate(by_place):
        if each.arg in ("self", "cls"):
            continue
        kind = "by place" if each in arguments.posonlyargs else f"argument {index}"
        say(name, f"{kind} {each.arg}: {annotated(each)}{'' if index < missing else ' = …'}", index < missing)
    for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        say(name, f"{each.arg}: {annotated(each)}{'' if default is None else ' = …'}", default is None)
    for each in (arguments.vararg, arguments.kwarg):
        if each is not None:
            say(name, f"*{each.arg}: {annotated(each)}")


def annotated(argument: ast.arg) -> str:
    return "" if argument.annotation is None else ast.unparse(argument.annotation)


def returned(member: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    return "" if member.returns is None else ast.unparse(member.returns)


def say(owner: str, signature: str, is_required: bool = False) -> None:
    line = {"owner": owner, "signature": " ".join(signature.split()), "isRequired": is_required}
    print(json.dumps(line, ensure_ascii=False))


main()
