"""Pins: rows that a user holds fast, so that what a repository says decides their region the same or stronger."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from toolkit.policy.documents.effective import Entry, Files, base_of, effective
from toolkit.policy.documents.overlays import Overlay, check_base
from toolkit.policy.language.transitions import MachineDocument
from toolkit.policy.layers import LAYERS, PROFILE, REPOSITORY, SHIPPED, USER
from toolkit.policy.loading.checked import Against, Checked, check_entries
from toolkit.policy.problems import Mark, Problems, did_you_mean, shown
from toolkit.policy.proofs import MAX_BOXES, PROVED, same_or_stronger

MAX_PIN_BOXES = 100_000  # split for all pins of a set together
MAX_PIN_ROWS = 500_000  # of the tables that pins are held in, read anew for each pin


@dataclass(frozen=True, slots=True)
class _Step:
    """A step from one set to another that could weaken a pinned row: what the later layer does to the ones below."""

    layer: str
    before: Checked
    after: Checked
    entries: Mapping[str, Entry]


def hold_pins(files: Files, against: Against, user_edits: bool, problems: Problems) -> None:
    """Record every pinned row that the profile or the repository's overlays may decide otherwise or weaker.

    The profile is chosen by the repository, so it is held like its overlays. A pin of a row that an overlay of the
    user's own puts there holds nothing where the user's edits do not count.
    """
    pinning = [one for one in files.overlays if one.pins]
    if not pinning:
        return
    below = (SHIPPED, PROFILE, USER) if user_edits else (SHIPPED, PROFILE)
    above = LAYERS if user_edits else (SHIPPED, PROFILE, REPOSITORY)
    concerned = _concerned(files, {one.base for one in pinning})
    sets = [_checked(concerned, layers, against) for layers in ((SHIPPED,), (SHIPPED, PROFILE), below, above)]
    steps = [
        _Step(PROFILE, sets[0][1], sets[1][1], sets[1][0]),
        _Step(REPOSITORY, sets[2][1], sets[3][1], sets[3][0]),
    ]
    holder = _Holder(files, user_edits, problems)
    documents = {name: entry for name, entry in files.documents.items() if entry.head.layer in below}
    for overlay in pinning:
        with problems.within(overlay.head.id):
            check_base(overlay, base_of(overlay, documents, problems).head, problems)
            for row, mark in overlay.pins:
                with problems.unit():
                    holder.hold(overlay, row, mark, steps)


def _concerned(files: Files, pinned: Collection[str]) -> Files:
    """The files that have a say in pinned rows: a set is made of them several times, and the rest may be huge."""
    documents = {
        name: entry for name, entry in files.documents.items() if name in pinned or entry.head.kind == "vocabulary"
    }
    return Files(documents, tuple(one for one in files.overlays if one.base in documents))


def _checked(files: Files, layers: Collection[str], against: Against) -> tuple[Mapping[str, Entry], Checked]:
    """A set of other layers, read for comparison; what is wrong with it is told where the set itself is loaded."""
    unheard = Problems()
    entries = effective(files, layers, unheard)
    return entries, check_entries(entries, against, unheard)


class _Holder:
    """Holds pins, one at a time, on one account of boxes and of rows."""

    def __init__(self, files: Files, user_edits: bool, problems: Problems) -> None:
        self.own = [one for one in files.overlays if one.head.layer == USER]
        self.user_edits = user_edits
        self.problems = problems
        self.left = MAX_PIN_BOXES
        self.rows_left = MAX_PIN_ROWS

    def hold(self, overlay: Overlay, row: str, mark: Mark, steps: Collection[_Step]) -> None:
        known = False
        for step in steps:
            if row in _rows(step.before, overlay.base):
                known = True
                self._hold_step(overlay, row, mark, step)
        if not known and not self._is_own(overlay.base, row):
            names = {name for step in steps for name in _rows(step.before, overlay.base)}
            message = f"{overlay.base} has no row {shown(row)} to pin"
            self.problems.fail("unknown_item", message, mark, did_you_mean(row, names))

    def _is_own(self, base: str, row: str) -> bool:
        return not self.user_edits and any(one.base == base and one.inserts(row) for one in self.own)

    def _hold_step(self, overlay: Overlay, row: str, mark: Mark, step: _Step) -> None:
        if not _touched(step, overlay.base):
            return
        fault = self._fault(overlay.base, row, step)
        if fault is not None:
            message = f"the pinned row {row!r} of {overlay.base} must be decided the same or stronger: {fault}"
            hint = f"pinned at {mark}; take the change to that row back, or lift the pin"
            self.problems.fail("pin_broken", message, _blame(overlay.base, step) or mark, hint)

    def _fault(self, base: str, row: str, step: _Step) -> str | None:
        """Why it is not proved that the row holds, or null where it is."""
        if base in step.before.machines:
            return _machine_fault(step.before.machines[base], step.after.machines.get(base), row)
        after = step.after.tables.get(base)
        if after is None:
            return "the edited table can't be read"
        before = step.before.tables[base]
        self.rows_left -= len(before.rows) + len(after.rows)
        if self.rows_left < 0:
            return f"the tables with pins have more than {MAX_PIN_ROWS} rows, counted once for each pin"
        proof = same_or_stronger(before, after, row, budget=min(self.left, MAX_BOXES))
        self.left = max(self.left - proof.boxes, 0)
        return None if proof.status == PROVED else proof.message


def _rows(checked: Checked, base: str) -> Collection[str]:
    if base in checked.tables:
        return [row.id for row in checked.tables[base].rows]
    machine = checked.machines.get(base)
    return machine.transitions.keys() if machine is not None else ()


def _touched(step: _Step, base: str) -> bool:
    """Whether the step's layer edits the document or a vocabulary that it names."""
    return _blame(base, step) is not None


def _blame(base: str, step: _Step) -> Mark | None:
    """The overlay of the step's layer that edits the document, or one of the vocabularies that it names."""
    rules = step.before.tables.get(base) or step.before.machines.get(base)
    for name in (base, *sorted(rules.references if rules is not None else ())):
        for edit in step.entries[name].edits if name in step.entries else ():
            if edit.layer == step.layer:
                return Mark(edit.file, 0, 0)
    return None


def _machine_fault(before: MachineDocument, after: MachineDocument | None, row: str) -> str | None:
    """A transition is the same where it stands unchanged: no other of its event is enabled beside it."""
    if after is None:
        return "the edited machine can't be read"
    if before.transitions[row] == after.transitions.get(row):
        return None
    return "the transition was removed or changed"
