"""Prompts: what a template asks for, what its document promises to fill in, and the tools that its role has.

A prompt is a data document of the shape ``prompt``; the roles that prompts are for stand in data documents of the shape
``roles``. A template is parsed and never rendered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolkit.authoring.linting.templates import names_given, printed_strings
from toolkit.policy.documents.heads import TEMPLATES, pack_of
from toolkit.policy.problems import Mark, Problems, did_you_mean, shown
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax.nodes import MapNode, Node, part_at

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2.nodes import Template

PROMPT: Final = "prompt"
ROLES: Final = "roles"
FOLDER: Final = "templates"  # as messages name a template
MAX_TEMPLATE: Final = 1024 * 1024


def hold_prompts(policies: PolicySet, problems: Problems, warnings: Problems) -> None:
    """Record what is wrong with the prompts of a set, and in ``warnings`` what they declare in vain."""
    prompts = _of_shape(policies, PROMPT)
    if not prompts:
        return
    from jinja2.sandbox import SandboxedEnvironment

    roles = Roles.of(policies)
    for document in prompts:
        with problems.within(document), warnings.within(document):
            _Prompt(policies, document, SandboxedEnvironment(), roles, problems, warnings).hold()


def _of_shape(policies: PolicySet, shape: str) -> list[str]:
    """The data documents of a shape."""
    found = []
    for document in policies.ids:
        entry = policies.entry(document)
        if entry.head.kind == "data" and getattr(entry.node.entries["shape"], "value", None) == shape:
            found.append(document)
    return found


@dataclass(frozen=True, slots=True)
class Roles:
    """The tools of each role, by the document that says so; ``tools`` are those of all roles together."""

    documents: Mapping[str, Mapping[str, Any]]
    tools: frozenset[str]

    @classmethod
    def of(cls, policies: PolicySet) -> Roles:
        documents = {document: policies.data(document) for document in _of_shape(policies, ROLES)}
        tools = {tool for roles in documents.values() for role in roles.values() for tool in role["tools"]}
        return cls(documents, frozenset(tools))

    def tools_of(self, role: str, pack: str) -> frozenset[str] | None:
        """The tools of a role, as its own pack knows it, else any other; null where there is no such role."""
        for document in sorted(self.documents, key=lambda one: (pack_of(one) != pack, one)):
            if role in self.documents[document]:
                return frozenset(self.documents[document][role]["tools"])
        return None

    @property
    def names(self) -> set[str]:
        """All roles."""
        return {role for roles in self.documents.values() for role in roles}


@dataclass
class _Prompt:
    """One prompt, held against its templates."""

    policies: PolicySet
    document: str
    environment: Environment
    roles: Roles
    problems: Problems
    warnings: Problems
    used: set[str] = field(default_factory=set)

    def hold(self) -> None:
        root, payload = self.policies.entry(self.document).node, self.policies.data(self.document)
        templates = self.policies.templates(self.document)
        main = payload["template"]
        if main not in templates:
            message = f"the template {shown(main)} is not among the document's {TEMPLATES}, so no digest knows it"
            self.problems.add("template_not_named", message, part_at(root, ["value", "template"]).mark, _name_it(main))
        lacking = self._lacking(payload, part_at(root, ["value", "role"]))
        parsed: dict[str, tuple[str, Template]] = {}
        for name, data in templates.items():
            with self.problems.unit():
                parsed[name] = self._parsed(f"{FOLDER}/{name}", data)
        given = names_given({name: tree for name, (_text, tree) in parsed.items()})
        held = 0
        for name, (text, tree) in parsed.items():
            with self.problems.unit():
                self._hold_template(name, text, tree, payload["variables"], given[name], lacking)
                held += 1
        if held == len(templates):
            self._hold_declared(part_at(root, ["value", "variables"]))

    def _lacking(self, payload: Mapping[str, Any], node: Node) -> frozenset[str]:
        """The tools that the prompt's role lacks and others have."""
        role = payload.get("role")
        if role is None:
            return frozenset()
        tools = self.roles.tools_of(role, pack_of(self.document))
        if tools is None:
            hint = did_you_mean(role, self.roles.names) or f"write a data document of the shape {ROLES}"
            self.problems.add("unknown_role", f"there is no role {shown(role)}", node.mark, hint)
            return frozenset()
        return self.roles.tools - tools

    def _hold_declared(self, variables: Node) -> None:
        assert isinstance(variables, MapNode)
        for name, mark in variables.key_marks.items():
            if name not in self.used:
                message = f"no template of the prompt uses the variable {shown(name)}"
                self.warnings.add("unused_variable", message, mark, "remove it, or use it")

    def _hold_template(
        self,
        name: str,
        text: str,
        tree: Template,
        variables: Mapping[str, Any],
        given: AbstractSet[str],
        lacking: frozenset[str],
    ) -> None:
        from jinja2 import meta, nodes

        file = f"{FOLDER}/{name}"
        templates = self.policies.templates(self.document)
        for other in meta.find_referenced_templates(tree):
            if other not in templates:
                told = "a template that is computed" if other is None else f"the template {shown(other)}"
                message = f"it includes {told}, which is not among the document's {TEMPLATES}"
                self.problems.add("template_not_named", message, Mark(file, 0, 0), other and _name_it(other))
        wanted = self._undeclared(file, tree)
        self.used |= wanted
        for variable in sorted(wanted - variables.keys() - given):
            line = min((one.lineno for one in tree.find_all(nodes.Name) if one.name == variable), default=0)
            message = f"the template uses {shown(variable)}, which {self.document} does not declare"
            hint = did_you_mean(variable, variables) or f"declare it under {PROMPT} variables"
            self.problems.add("undeclared_variable", message, _at(file, text, line, variable), hint)
        for tool, line in self._tools_in(file, text, tree, lacking):
            message = f"the text names the tool {tool}, which the role of {self.document} does not have"
            hint = "give the role this tool, or name one that it has"
            self.problems.add("tool_not_of_role", message, _at(file, text, line, tool), hint)

    def _parsed(self, file: str, data: bytes) -> tuple[str, Template]:
        from jinja2 import TemplateSyntaxError

        if len(data) > MAX_TEMPLATE:
            self.problems.fail("bad_template", f"the template has more than {MAX_TEMPLATE} bytes", Mark(file, 0, 0))
        try:
            text = data.decode()
            return text, self.environment.parse(text)
        except UnicodeDecodeError as fault:
            line = data.count(b"\n", 0, fault.start) + 1
            self.problems.fail("bad_template", "the template is not UTF-8", Mark(file, line, 1), "save it as UTF-8")
        except TemplateSyntaxError as fault:
            self.problems.fail("bad_template", f"no template: {fault.message}", Mark(file, fault.lineno, 1))
        except RecursionError:
            self.problems.fail("bad_template", "the template is nested too deep to be read", Mark(file, 0, 0))

    def _undeclared(self, file: str, tree: Template) -> set[str]:
        from jinja2 import TemplateSyntaxError, meta

        try:
            return meta.find_undeclared_variables(tree)
        except TemplateSyntaxError as fault:  # a filter or a test that there is not
            self.problems.fail("bad_template", f"no template: {fault.message}", Mark(file, fault.lineno, 1))
        except RecursionError:
            self.problems.fail("bad_template", "the template is nested too deep to be read", Mark(file, 0, 0))

    def _tools_in(self, file: str, text: str, tree: Template, tools: frozenset[str]) -> Iterator[tuple[str, int]]:
        """Each of these tools that the text or a string which is printed names, with its first line."""
        if not tools:
            return
        written = [(line, value) for line, kind, value in self.environment.lex(text, filename=file) if kind == "data"]
        told: set[str] = set()
        words = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, sorted(tools)))})(?![\w-])")
        for line, value in sorted([*written, *printed_strings(tree)]):
            for match in words.finditer(value):
                if match[0] not in told:
                    told.add(match[0])
                    yield match[0], line + value.count("\n", 0, match.start())


def _name_it(template: str) -> str:
    return f"write: {TEMPLATES}: [{template}]"


def _at(file: str, text: str, line: int, word: str) -> Mark:
    """The place of a word on a line of a template."""
    if line < 1:
        return Mark(file, 0, 0)
    lines = text.split("\n")
    found = re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", lines[line - 1]) if line <= len(lines) else None
    return Mark(file, line, found.start() + 1 if found else 1)
