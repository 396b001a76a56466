"""The policy set: every document of every layer, loaded whole or not at all, and asked by id."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from toolkit.policy.documents import heads, identity
from toolkit.policy.documents.effective import Entry, Files, effective, read_files
from toolkit.policy.documents.heads import Vocabulary, pack_of
from toolkit.policy.documents.origins import Origin, origins_of
from toolkit.policy.documents.stored import StoredEntries, record_of
from toolkit.policy.explaining import Explanation, explain
from toolkit.policy.layers import DEFAULT_PROFILE, LAYERS, USER, Source
from toolkit.policy.loading.reading import RuleReader, Vocabularies, opened
from toolkit.policy.machines import Machine
from toolkit.policy.problems import PolicyError, Problems, did_you_mean, shown
from toolkit.policy.tables import Table
from toolkit.policy.types import freeze

if TYPE_CHECKING:
    from toolkit.policy.loading.checked import Against, Checked


class PolicySet:
    """An immutable set of effective documents. Everything is parsed at most once, when first asked for.

    ``profile`` is the one under which the documents stand. ``bound`` is the set that receipts and locks bind: the same
    one, or without the edits of the user's own layer where there are any.
    """

    def __init__(
        self,
        entries: Mapping[str, Entry],
        *,
        profile: str = DEFAULT_PROFILE,
        templates: Mapping[str, bytes] | None = None,
        effects: Collection[str] = (),
        bound: PolicySet | None = None,
        proved: bool = False,
    ) -> None:
        self.profile = profile
        self.bound = bound or self
        self._proved = proved  # then what tables require need not be held at each decision
        self._entries = entries
        self._templates = templates or {}
        self._vocabularies = Vocabularies(entries)
        self._rules = RuleReader(self._vocabularies, effects)
        self._tables: dict[str, Table] = {}
        self._machines: dict[str, Machine] = {}
        self._payloads: dict[str, Any] = {}
        self._digests: dict[str, str] = {}

    @classmethod
    def load(
        cls,
        sources: Iterable[Source],
        shapes: Mapping[str, bytes],
        *,
        templates: Mapping[str, bytes] | None = None,
        effects: Collection[str] = (),
        profile: str = DEFAULT_PROFILE,
        user_edits: bool = True,
        prove: bool = True,
    ) -> PolicySet:
        """Load, check and prove a whole set.

        ``sources`` come from all layers, those of the chosen ``profile`` among them; ``shapes`` (the JSON Schemas of
        payloads) and ``templates`` are named bytes; ``effects`` are what machines may name. Without ``user_edits`` the
        user's layer counts for its pins alone, as it does for reviews and gates. Without ``prove`` nothing is proved
        that needs more than reading. Raises one ``PolicyError`` that holds every problem of every file.
        """
        # A set that comes from its bundle was checked and proved before, and needs none of these.
        from toolkit.policy.loading.checked import Against
        from toolkit.policy.loading.pinned import hold_pins

        problems = Problems()
        files = read_files(sources, problems)
        against = Against(shapes, templates or {}, frozenset(effects))
        loader = _Loader(files, against, profile, prove, problems)
        bound = loader.made([layer for layer in LAYERS if layer != USER])
        made = loader.made(LAYERS, bound) if user_edits and files.uses(USER) else bound
        hold_pins(files, against, user_edits, problems)
        problems.raise_if_any()
        return made

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all documents, sorted."""
        return tuple(sorted(self._entries))

    @property
    def packs(self) -> tuple[str, ...]:
        """The packs of all documents, sorted: the entry points whose closures have digests."""
        return tuple(sorted(set(map(pack_of, self._entries))))

    def entry(self, document: str) -> Entry:
        """Head and tree of a document. Raises ``PolicyError`` (``unknown_document``)."""
        if document not in self._entries:
            hint = did_you_mean(document, self._entries)
            message = f"there is no policy document {shown(document)}"
            raise PolicyError("unknown_document", message, next_step=hint or "dr-policy list")
        return self._entries[document]

    def origins(self, document: str) -> tuple[Origin, ...]:
        """Which layer gave the document, and each of its parts."""
        return origins_of(self.entry(document))

    def vocabulary(self, document: str) -> Vocabulary:
        """A vocabulary by id."""
        self._expect(document, "vocabulary")
        return self._vocabularies[document]

    def table(self, document: str) -> Table:
        """A compiled table by id; compiled once."""
        if document not in self._tables:
            entry = self._expect(document, "table")
            with opened(entry) as form:
                self._tables[document] = Table(self._rules.table(entry, form), proved=self._proved)
        return self._tables[document]

    def machine(self, document: str) -> Machine:
        """A compiled machine by id; compiled once."""
        if document not in self._machines:
            entry = self._expect(document, "machine")
            with opened(entry) as form:
                self._machines[document] = Machine(self._rules.machine(entry, form))
        return self._machines[document]

    def explain(self, document: str, facts: Mapping[str, object]) -> tuple[Explanation, ...]:
        """Why a table decides these facts as it does: one explanation, or one for each item of an ``each`` table."""
        return explain(self.table(document), facts)

    def data(self, document: str) -> Any:
        """The payload of a data document: immutable mappings, tuples and JSON scalars."""
        if document not in self._payloads:
            self._payloads[document] = self._payload(document)
        return self._payloads[document]

    def _payload(self, document: str) -> Any:
        """A payload that was checked before it was stored needs no tree: nobody asks for the places of its parts."""
        if isinstance(self._entries, StoredEntries) and self._entries.kind_of(document) == "data":
            return freeze(self._entries.content_of(document)["value"])
        entry = self._expect(document, "data")
        with opened(entry) as form:
            return heads.read_data(entry.head, form).value

    def templates(self, document: str) -> Mapping[str, bytes]:
        """The templates that a data document names, in its order."""
        entry = self._expect(document, "data")
        with opened(entry) as form:
            return {name: self._templates[name] for name in heads.read_data(entry.head, form).templates}

    def digest(self, document: str) -> str:
        """``sha256:<hex>`` of one effective document; wording (title, version, source, cases) is left out."""
        key = f"document:{document}"
        if key not in self._digests:
            self._digests[key] = identity.document_digest(self.entry(document).node, self._templates)
        return self._digests[key]

    def closure(self, pack: str) -> tuple[str, ...]:
        """The ids of a pack's documents and of all that these reference, sorted."""
        wanted = {document for document in self._entries if pack_of(document) == pack}
        if not wanted:
            raise PolicyError(
                "unknown_pack", f"there is no pack {shown(pack)}", next_step=did_you_mean(pack, self.packs)
            )
        for document in sorted(wanted):
            kind = self._entries[document].head.kind
            if kind == "table":
                wanted |= self.table(document).document.references
            elif kind == "machine":
                wanted |= self.machine(document).document.references
        return tuple(sorted(wanted))

    def pack_digest(self, pack: str) -> str:
        """The digest of a pack's closure: what a log or a receipt binds as its policies."""
        key = f"pack:{pack}"
        if key not in self._digests:
            digests = {one: self.digest(one) for one in self.closure(pack)}
            self._digests[key] = identity.closure_digest(digests, self.profile)
        return self._digests[key]

    def to_bundle(self, packs: Iterable[str]) -> dict[str, Any]:
        """The checked set as one JSON value, from which ``from_bundle`` makes it again without checking anything."""
        packs = tuple(packs)
        for pack in packs:
            self.pack_digest(pack)
        return {
            "bound": None if self.bound is self else self.bound.to_bundle(packs),
            "digests": dict(self._digests),
            "documents": {document: record_of(entry) for document, entry in self._entries.items()},
            "effects": sorted(self._rules.effects),
            "profile": self.profile,
            "proved": self._proved,
            "templates": {name: data.decode("latin-1") for name, data in self._templates.items()},
        }

    @classmethod
    def from_bundle(cls, bundle: Mapping[str, Any]) -> PolicySet:
        """A set from ``to_bundle``'s value. Trees are built when a document is first asked for."""
        templates = {name: text.encode("latin-1") for name, text in bundle["templates"].items()}
        bound = cls.from_bundle(bundle["bound"]) if bundle["bound"] is not None else None
        made = cls(
            StoredEntries(bundle["documents"]),
            profile=bundle["profile"],
            templates=templates,
            effects=bundle["effects"],
            bound=bound,
            proved=bundle["proved"],
        )
        made._digests = dict(bundle["digests"])
        return made

    def _expect(self, document: str, kind: str) -> Entry:
        entry = self.entry(document)
        if entry.head.kind != kind:
            message = f"{document} is a {entry.head.kind}, not a {kind}"
            raise PolicyError("wrong_kind", message, next_step=f"dr-policy show {document}")
        return entry


class _Loader:
    """Makes checked sets of several choices of layers from the same files."""

    def __init__(self, files: Files, against: Against, profile: str, prove: bool, problems: Problems) -> None:
        self.files = files
        self.against = against
        self.profile = profile
        self.prove = prove
        self.problems = problems

    def made(self, layers: Collection[str], bound: PolicySet | None = None) -> PolicySet:
        from toolkit.policy.loading.checked import check_entries
        from toolkit.policy.loading.proved import hold_proofs

        entries = effective(self.files, layers, self.problems)
        checked = check_entries(entries, self.against, self.problems)
        if self.prove:
            hold_proofs(entries, checked, self.problems)
        return self._set(entries, checked, bound)

    def _set(self, entries: Mapping[str, Entry], checked: Checked, bound: PolicySet | None) -> PolicySet:
        templates = {name: self.against.templates[name] for name in checked.templates}
        made = PolicySet(
            entries,
            profile=self.profile,
            templates=templates,
            effects=self.against.effects,
            bound=bound,
            proved=self.prove,
        )
        made._vocabularies = checked.vocabularies
        made._tables = {name: Table(document, proved=self.prove) for name, document in checked.tables.items()}
        made._machines = {name: Machine(document) for name, document in checked.machines.items()}
        return made
