"""Random policy sets: whole ones that load, then broken in every way that a text can be broken.

Everything comes from one seed, so that a set that fails can be made again.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from policy_oracle import HEAD, VOCABULARIES, Maker, Spec, patterned
from spelling_support import Raw, block, flow, quoted

from toolkit.policy.layers import PROFILE, REPOSITORY, SHIPPED, USER, Source

EFFECTS = ("note", "ring")
TEMPLATES = {"brief": b"Look at {{ path }}."}
SHAPE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["limits"],
    "properties": {
        "limits": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}},
        "checks": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["id"],
                "properties": {"id": {"type": "string"}, "argv": {"type": "array", "items": {"type": "string"}}},
            },
        },
    },
}
SHAPES = {"known": json.dumps(SHAPE).encode(), "any": b"true", "broken": b"{"}
STATES = ("open", "held", "done")
DEEP = 70


@dataclass
class Document:
    """A document before it is text."""

    layer: str
    content: Any


JUNK: tuple[Callable[[], Any], ...] = (
    lambda: None,
    lambda: True,
    lambda: 0,
    lambda: -1,
    lambda: 2**53,
    lambda: 2**53 - 1,
    lambda: Raw("9" * 5000),
    lambda: Raw("1.5"),
    lambda: Raw("1e999"),
    lambda: Raw("no"),
    lambda: Raw("~"),
    lambda: Raw("2024-01-01"),
    lambda: Raw("&a x"),
    lambda: Raw("*a"),
    lambda: Raw("!!python/object/apply:os.system ['touch /tmp/owned']"),
    lambda: Raw("!include /etc/passwd"),
    lambda: Raw("&a [*a]"),
    lambda: Raw("? [a]"),
    lambda: Raw("'"),
    lambda: Raw("%YAML 1.1"),
    lambda: "",
    lambda: "\x00",
    lambda: "a\u202eb",
    lambda: "\u0430dmin",
    lambda: "\ud800",
    lambda: "\U0001f600",
    lambda: "\u2028",
    lambda: "\ufeff",
    lambda: "x" * 3000,
    lambda: "(" * 200,
    lambda: "(a*)*$",
    lambda: "((a{0,100}){0,100}){0,100}",
    lambda: "[z-a]",
    lambda: "max(" * 40,
    lambda: "a * b",
    lambda: "t.severity",
    lambda: "t.none",
    lambda: "../../../etc/passwd",
    lambda: "{{ x }}",
    list,
    dict,
    lambda: [0] * 300,
    lambda: ["a", ["b", {"c": []}]],
    lambda: {"value": "a"},
    lambda: {"not": {"not": {"not": None}}},
    lambda: {"present": True, "gte": 1},
    lambda: {"type": "integer", "minimum": 5, "maximum": 1},
    lambda: nested(DEEP, list),
    lambda: nested(DEEP, dict),
    lambda: nested(50, list),
)


def nested(levels: int, kind: type) -> Any:
    value: Any = 0
    for _ in range(levels):
        value = [value] if kind is list else {"not": value}
    return value


class SetMaker(Maker):
    """Makes whole sets: documents that load, most of them, and then damages some."""

    def sources(self) -> list[Source]:
        documents = self.documents()
        if self.maybe(3):
            documents = copy.deepcopy(documents)  # they share parts
            for _ in range(self.chance.choice([1, 1, 1, 2, 4])):
                self.damage(documents)
        self.chance.shuffle(documents)
        return [
            Source(f"{document.layer}-{number}.yaml", self.text_of(document.content), document.layer)
            for number, document in enumerate(documents)
        ]

    # Whole sets.

    def documents(self) -> list[Document]:
        makers: dict[str, Callable[[], Spec]] = {
            "t.table": self.total_table,
            "t.machine": self.machine,
            "t.data": self.data,
        }
        names = self.chance.sample(sorted(makers), self.chance.choice([1, 1, 2]))
        made = {name: makers[name]() for name in names}
        documents = [Document(SHIPPED, content) for content in made.values()]
        spelled = json.dumps(list(made.values()))
        for name in VOCABULARIES:
            if f'"{name}"' in spelled:
                made[name] = self.vocabulary(name)
                documents.append(Document(SHIPPED, made[name]))
        for number in range(self.chance.choice([0, 0, 1, 1, 2, 3])):
            name = self.chance.choice(sorted(made))
            layer = self.chance.choice([PROFILE, USER, REPOSITORY])
            documents.append(Document(layer, self.overlay(layer, number, made[name])))
        return documents

    def head(self, kind: str, identity: str) -> Spec:
        return {**HEAD, "kind": kind, "id": identity}

    def vocabulary(self, name: str) -> Spec:
        order, terms = VOCABULARIES[name]
        anchors = self.some(["definition", "action"], 0, 2)
        listed = [{"term": term, **dict.fromkeys(anchors, f"{term} it is")} for term in terms]
        return {**self.head("vocabulary", name), "order": order, "anchors": anchors, "terms": listed}

    def total_table(self) -> Spec:
        """A table that decides always and, where it has to, once."""
        made = self.table()
        document: Spec = {**made.document}
        document["outputs"] = {**document["outputs"], "d": {"type": "term", "one_of": ["go", "stop"]}}
        if self.maybe():
            document["outputs"]["d"]["stronger"] = ["stop", "go"]
        if not self.maybe(6):
            document.pop("require", None)
        if document["hit"] == "first":
            document["rows"] = [*document["rows"], {"id": "last", "then": {"n": 0, "s": None}}]
        elif document["hit"] == "unique":
            document["rows"] = self.partition(document)
        rows = [{**row, "then": {**row["then"]}} for row in document["rows"]]
        for row in rows:
            if "error" not in row["then"]:
                row["then"]["d"] = self.chance.choice(["go", "stop"])
        document["rows"] = rows
        return document

    def partition(self, document: Spec) -> list[Spec]:
        """Rows of which one matches, whatever the facts: by a condition and what it leaves, once or twice."""
        names = {name: one for name, one in document["inputs"].items() if name != document.get("each")}
        names = {name: one for name, one in names.items() if not patterned(one) and one["type"] != "list"}
        whens: list[Spec] = [{}]
        for name in self.some(sorted(names), 0, 2):
            cell = self.cell(names[name], 1)
            whens = [{**when, name: one} for when in whens for one in (cell, {"not": cell})]
        return [
            {
                "id": f"r{number}",
                **({"when": when} if when else {}),
                "then": {"n": number, "s": (self.maybe() and "a") or None},
            }
            for number, when in enumerate(whens)
        ]

    def machine(self) -> Spec:
        events: Spec = {"go": {"inputs": {"n": {"type": "integer", "minimum": 0}}}, "stop": {}}
        transitions: list[Spec] = []
        for state in STATES[:2]:
            for event in events:
                if self.maybe(4):
                    continue
                base = {"from": state, "event": event}
                whens: list[Spec] = [{}]
                if event == "go" and self.maybe():
                    limit = self.chance.randint(1, 9)
                    whens = [{"when": {"n": {"lt": limit}}}, {"when": {"n": {"gte": limit}}}]
                for when in whens:
                    effects = {"effects": self.some(EFFECTS, 0, 2)} if self.maybe() else {}
                    to = self.chance.choice(STATES)
                    transitions.append({"id": f"t{len(transitions)}", **base, **when, "to": to, **effects})
        if not transitions:
            transitions = [{"id": "t0", "from": "open", "event": "stop", "to": "done"}]
        states = {"of": "t.severity", "initial": "low", "terminal": ["high"]}
        renamed = dict(zip(STATES, ("low", "medium", "high"), strict=True))
        for one in transitions:
            one["from"], one["to"] = renamed[one["from"]], renamed[one["to"]]
        return {**self.head("machine", "t.machine"), "states": states, "events": events, "transitions": transitions}

    def data(self) -> Spec:
        value: Spec = {"limits": {name: self.chance.randint(0, 9) for name in self.some("abc", 1, 3)}}
        if self.maybe():
            value["checks"] = [{"id": name, "argv": [name, "--", "x"]} for name in self.some(["c1", "c2", "c3"], 1, 3)]
        more = {"templates": ["brief"]} if self.maybe(4) else {}
        return {**self.head("data", "t.data"), "shape": self.chance.choice(["known", "any"]), **more, "value": value}

    # Overlays.

    def overlay(self, layer: str, number: int, base: Spec) -> Spec:
        identity = {PROFILE: "profile.fast", USER: "user", REPOSITORY: "repo"}[layer] + f".o{number}"
        head = {**self.head("overlay", identity), "base": {"id": base["id"], "version": ">=1.0,<2"}}
        if layer == USER and base["kind"] in ("table", "machine") and self.maybe():
            return {**head, "pin": [self.chance.choice(self.names_of(base))]}
        return {**head, **(self.payload_edits(base) if base["kind"] == "data" else self.item_edits(base, number))}

    def names_of(self, base: Spec) -> list[str]:
        listed = {"table": "rows", "machine": "transitions", "vocabulary": "terms"}[base["kind"]]
        return [one.get("term") or one["id"] for one in base[listed]]

    def item_edits(self, base: Spec, number: int) -> Spec:
        """Edits that leave a document legal, most of them."""
        word, listed = {
            "table": ("row", "rows"), "machine": ("transition", "transitions"), "vocabulary": ("term", "terms"),
        }[base["kind"]]  # fmt: skip
        name = "term" if word == "term" else "id"
        one = self.chance.choice(base[listed][:-1] or base[listed])
        rest = {key: value for key, value in one.items() if key != name}
        new = {**one, name: f"zz{number}"}
        place = self.chance.choice([{"at": "start"}, {"at": "end"}, {"after": one[name]}, {"before": one[name]}])
        edits: list[Spec] = [
            {"replace": {one[name]: rest}},
            {"remove": [one[name]], "insert": [{"at": "start", word: new}]},
            {"insert": [{**place, word: new}]},
            {"remove": [one[name]]},
        ]
        if word == "row":
            weak = {"replace": {one[name]: {**rest, "then": {"n": 1, "s": None, "d": "go"}}}}
            cell = {"when_output": {"d": "go"}, "inputs": {self.chance.choice(sorted(base["inputs"])): 0}}
            edits = [weak, *edits, {"require": [cell]}]
        if word == "term":
            edits = [edits[0], edits[2], edits[1], edits[3]]
        apart = word == "term" or base.get("hit") == "unique" or word == "machine"
        return copy.deepcopy(self.chance.choice(edits if self.maybe(4) else edits[: 2 if apart else 3]))

    def payload_edits(self, base: Spec) -> Spec:
        key = self.chance.choice(sorted(base["value"]["limits"]))
        edits: list[Spec] = [
            {"set": {f"/limits/{key}": self.chance.randint(0, 9)}},
            {"set": {"/limits/new": 1}},
            {"set": {"/limits": {}}},
            {"set": {"/checks": [{"id": "c1"}]}},
        ]
        if "checks" in base["value"] or self.maybe(8):
            first = base["value"].get("checks", [{"id": "c1"}])[0]["id"]
            edits += [
                {"set": {f"/checks/{first}/argv": ["y"]}},
                {"set": {"/checks/-": {"id": "c9"}}},
                {"remove": [f"/checks/{first}"]},
                {"remove": [f"/checks/{first}", "/checks/0"]},
            ]
        return self.chance.choice(edits)

    # Damage.

    def damage(self, documents: list[Document]) -> None:
        document = self.chance.choice(documents)
        if self.maybe(12):
            self.damage_set(documents, document)
            return
        container, key = self.spot(document)
        self.chance.choice(_DAMAGES)(self, container, key, documents)

    def damage_set(self, documents: list[Document], document: Document) -> None:
        match self.chance.randrange(4):
            case 0:
                documents.remove(document)
                documents.append(Document(document.layer, self.junk()))
            case 1:
                documents.append(copy.deepcopy(document))
            case 2:
                document.layer = self.chance.choice([SHIPPED, PROFILE, USER, REPOSITORY])
            case 3:
                documents.append(Document(REPOSITORY, {**self.data(), "id": "repo.own"}))

    def junk(self) -> Any:
        return self.chance.choice(JUNK)()

    def spot(self, document: Document) -> tuple[Any, Any]:
        """A place in a document: a collection and a key or index of it."""
        container: Any = document.content
        if not isinstance(container, (dict, list)) or not container:
            document.content = container = {"policy": "v1"}
        while True:
            key: Any = self.chance.choice(list(container)) if isinstance(container, dict) else self.index(container)
            below = container[key]
            if not isinstance(below, (dict, list)) or not below or self.maybe(5):
                return container, key
            container = below

    def index(self, items: list[Any]) -> int:
        return self.chance.randrange(len(items))

    def drop(self, container: Any, key: Any, _documents: list[Document]) -> None:
        del container[key]

    def double(self, container: Any, key: Any, _documents: list[Document]) -> None:
        if isinstance(container, dict):
            container[Raw(quoted(key), self.chance.randrange(99))] = copy.deepcopy(container[key])
        else:
            container.insert(key, copy.deepcopy(container[key]))

    def misspell(self, container: Any, key: Any, _documents: list[Document]) -> None:
        if isinstance(container, dict) and isinstance(key, str):
            at = self.chance.randrange(len(key) + 1)
            wrong = key[:at] + self.chance.choice(["x", "", "\u0430", "\n", "~", "\x7f"]) + key[at + 1 :]
            container[wrong] = container.pop(key)

    def replace(self, container: Any, key: Any, _documents: list[Document]) -> None:
        container[key] = self.junk()

    def graft(self, container: Any, key: Any, documents: list[Document]) -> None:
        other, place = self.spot(self.chance.choice(documents))
        container[key] = copy.deepcopy(other[place])

    def wrap(self, container: Any, key: Any, _documents: list[Document]) -> None:
        container[key] = (
            [container[key]] if self.maybe() else {self.chance.choice(["not", "every", "value"]): container[key]}
        )

    def merge(self, container: Any, _key: Any, _documents: list[Document]) -> None:
        if isinstance(container, dict):
            container[Raw(self.chance.choice(["<<", "? [a]", "*a", "&k k", "!!str s", "1", "null", "on"]))] = (
                self.junk()
            )

    def repeat(self, container: Any, key: Any, _documents: list[Document]) -> None:
        if isinstance(container, list):
            container[key:key] = [copy.deepcopy(container[key]) for _ in range(40)]

    def reorder(self, container: Any, _key: Any, _documents: list[Document]) -> None:
        if isinstance(container, list):
            container.reverse()

    # Text.

    def text_of(self, content: Any) -> bytes:
        text = flow(content) if self.maybe() else "\n".join(block(content, 0)) + "\n"
        if self.maybe(10):
            text = text.replace("\n", "\r\n") if self.maybe() else "\ufeff---\n" + text
        data = text.encode("utf-8", "surrogatepass")
        return self.edited(data) if self.maybe(40) else data

    def edited(self, data: bytes) -> bytes:
        """Bytes changed by a hand that knows nothing of YAML."""
        at = self.chance.randrange(len(data) + 1)
        match self.chance.randrange(5):
            case 0:
                return data[:at] + self.chance.randbytes(self.chance.randint(1, 4)) + data[at:]
            case 1:
                return data[:at] + data[at + self.chance.randint(1, 20) :]
            case 2:
                return data[:at]
            case 3:
                return (
                    data[:at]
                    + self.chance.choice([b"\t", b"{", b"]", b": ", b"- ", b"#", b"|", b"\n---\n", b"*", b"'"])
                    + data[at:]
                )
        return data + b"\n...\n---\na: 1\n"


_DAMAGES: tuple[Callable[..., None], ...] = (
    SetMaker.drop, SetMaker.double, SetMaker.misspell, SetMaker.replace, SetMaker.replace, SetMaker.replace,
    SetMaker.graft, SetMaker.graft, SetMaker.wrap, SetMaker.merge, SetMaker.repeat, SetMaker.reorder,
)  # fmt: skip
