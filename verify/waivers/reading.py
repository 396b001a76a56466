"""Reading a waiver file: as strictly as a policy, every problem of it told at once with its place."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn, TypeVar

from toolkit.policy.language.patterns import PatternBudget, PatternError, pattern_test
from toolkit.policy.problems import Flawed, Problem, Problems, shown
from toolkit.policy.syntax.forms import Form
from toolkit.policy.syntax.nodes import Node, read_yaml
from verify.criteria import CriteriaRules, labels_in, says_something
from verify.errors import WorkspaceError
from verify.waivers.file import WaiverFile
from verify.waivers.rules import WaiverRules
from verify.waivers.waiver import Waiver
from verify.words import with_others
from verify.workspace import is_task_id

if TYPE_CHECKING:
    from verify.artifacts import ArtifactRules

T = TypeVar("T")

WAIVERS: Final = "waivers"
REQUIRED: Final = ("reason", "owner", "expires")
NAMES: Final = ("rule", "fingerprint", "category")
OPTIONAL: Final = (*NAMES, "path", "text", "criteria", "task")
WILD: Final = "*?/."  # a glob of nothing else finds every file


class WaiverError(WorkspaceError):
    """A waiver file that can't be used (exit 2); ``problems`` holds every fault of it."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        first, more = problems[0], len(problems) - 1
        super().__init__(
            first.code,
            f"{first.message}{with_others(more)}",
            place=str(first.mark),
            next_step=first.hint or f"mend {first.mark.file}, then run the same command again",
        )
        self.problems = problems


class Words(NamedTuple):
    """What the words of a waiver are held against."""

    rules: WaiverRules
    artifacts: ArtifactRules
    criteria: CriteriaRules
    categories: tuple[str, ...]


def read_waivers(file: WaiverFile, words: Words) -> tuple[Waiver, ...]:
    """The waivers of a file in their order. Raises ``WaiverError`` with every problem of it."""
    problems = Problems()
    reader = _Reader(file.name, words, problems)
    waivers: list[Waiver] = []
    with suppress(Flawed):  # recorded already
        waivers = reader.read(read_yaml(file.data, file.name, problems, begin=f"{WAIVERS}:"))
    if problems.found:
        raise WaiverError(tuple(sorted(problems.found, key=lambda problem: problem.mark)))
    return tuple(waivers)


class _Reader:
    """Reads one file; what is wrong with a key never keeps another key from being read."""

    def __init__(self, file: str, words: Words, problems: Problems) -> None:
        self._file = file
        self._words = words
        self._rules = words.rules
        self._problems = problems
        self._budget = PatternBudget()

    def read(self, root: Node) -> list[Waiver]:
        form = Form(root, "the file", self._problems, required=(WAIVERS,))
        items = form.items(WAIVERS)
        if len(items) > self._rules.number_max:
            message = f"there are {len(items)} waivers; at most {self._rules.number_max} are read"
            self._problems.fail("too_many_waivers", message, form.need(WAIVERS).mark)
        waivers = []
        for node in items:
            with self._problems.unit():
                waivers.append(self._waiver(node))
        return waivers

    def _waiver(self, node: Node) -> Waiver:
        before = len(self._problems.found)
        form = Form(node, "the waiver", self._problems, required=REQUIRED, optional=OPTIONAL)
        glob = self._key(form, "path", self._glob)
        values = {
            key: self._key(form, key, read)
            for key, read in (
                ("rule", self._rule),
                ("fingerprint", self._fingerprint),
                ("category", lambda form, key: form.choice(key, self._words.categories)),
                ("text", self._excerpt),
                ("task", self._task),
                ("reason", self._reason),
                ("owner", self._owner),
            )
        }
        criteria = self._key(form, "criteria", self._criteria)
        expires = self._key(form, "expires", self._date)
        self._require_narrow(form)
        if len(self._problems.found) > before or expires is None:
            raise Flawed
        return Waiver(
            self._file,
            form.mark.line,
            values["rule"],
            values["fingerprint"],
            values["category"],
            glob[0] if glob else None,
            values["text"],
            criteria or (),
            values["task"],
            values["reason"] or "",
            values["owner"] or "",
            expires,
            glob[1] if glob else None,
        )

    def _key(self, form: Form, key: str, read: Callable[[Form, str], T]) -> T | None:
        """What stands under a key; null where it does not stand there or is recorded as wrong."""
        if form.has(key):
            with self._problems.unit():
                return read(form, key)
        return None

    def _require_narrow(self, form: Form) -> None:
        """A waiver says whose findings it means; those of reviewers, which have many subjects, are narrowed further."""
        if sum(map(form.has, NAMES)) != 1:
            message = "a waiver names a rule, or one finding by its fingerprint, or the category of reviewers' findings"
            self._problems.add("waives_unclear", message, form.mark, f"write one of: {', '.join(NAMES)}")
        elif form.has("category") and not any(map(form.has, ("path", "text", "criteria"))):
            message = "a category alone waives nearly everything that reviewers find"
            self._problems.add("waives_too_much", message, form.mark, "narrow it by: path, text or criteria")

    def _said(self, form: Form, key: str) -> str:
        text = form.text(key)
        if not text.strip():
            self._fail(form, key, "empty_text", f"{key} says nothing")
        if len(text) > self._rules.text_max:
            self._fail(form, key, "too_long", f"{key} has {len(text)} characters; at most {self._rules.text_max}")
        return text

    def _fingerprint(self, form: Form, key: str) -> str:
        text = self._said(form, key)
        if not re.fullmatch(r"[0-9a-f]{64}", text):
            hint = "copy it from a finding of the JSON report"
            self._fail(form, key, "bad_fingerprint", f"{shown(text)} is no fingerprint", hint)
        return text

    def _rule(self, form: Form, key: str) -> str:
        name = self._said(form, key)
        if name in self._rules.never:
            self._fail(form, key, "never_waived", f"findings of {shown(name)} can't be waived")
        return name

    def _reason(self, form: Form, key: str) -> str:
        text = self._said(form, key)
        few = len("".join(text.split())) < self._rules.reason_min
        if few or not says_something(text, self._words.criteria.cues):
            message = f"the reason says nothing: {shown(text)}"
            hint = f"say in at least {self._rules.reason_min} characters why this may stand"
            self._fail(form, key, "no_reason", message, hint)
        return text

    def _owner(self, form: Form, key: str) -> str:
        text = self._said(form, key)
        if not any(map(str.isalnum, text)):
            self._fail(form, key, "no_owner", f"{shown(text)} names nobody", "say who answers for this waiver")
        return text

    def _excerpt(self, form: Form, key: str) -> str:
        text = self._said(form, key)
        if len(text.strip()) < self._rules.excerpt_min:
            message = f"{shown(text)} stands in nearly every excerpt"
            hint = f"give at least {self._rules.excerpt_min} characters"
            self._fail(form, key, "waives_too_much", message, hint)
        return text

    def _task(self, form: Form, key: str) -> str:
        task, rules = self._said(form, key), self._words.artifacts
        if not is_task_id(task, rules.task_id, rules.task_id_max):
            self._fail(form, key, "invalid_task_id", f"{shown(task)} is no task id", "write one such as ABCD-0001")
        return task

    def _glob(self, form: Form, key: str) -> tuple[str, Callable[[str], bool]]:
        glob = self._said(form, key)
        if not glob.strip(WILD):
            self._fail(form, key, "waives_too_much", f"{shown(glob)} matches every path", "leave it out")
        try:
            return glob, pattern_test("glob", (self._budget.compile("glob", glob, False),), False)
        except PatternError as fault:
            self._fail(form, key, "bad_pattern", f"{shown(glob)} is no glob: {fault}")

    def _criteria(self, form: Form, key: str) -> tuple[str, ...]:
        """Labels in the one spelling that findings have; what is no label (a wish, a requirement) stands for itself."""
        written = form.words(key)
        if not written or not all(map(str.strip, written)):
            self._fail(form, key, "empty_text", f"{key} lists at least one label, and no empty one")
        return tuple(label for word in written for label in labels_in(word, self._words.criteria) or (word.strip(),))

    def _date(self, form: Form, key: str) -> date:
        text = self._said(form, key)
        try:
            if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
                return date.fromisoformat(text)
        except ValueError:  # a day that no month has
            pass
        self._fail(form, key, "bad_date", f"{shown(text)} is no day", 'write the last day as "2027-03-31"')

    def _fail(self, form: Form, key: str, code: str, message: str, hint: str | None = None) -> NoReturn:
        self._problems.fail(code, message, form.need(key).mark, hint)
