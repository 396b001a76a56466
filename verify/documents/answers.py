"""Whether a text answers what it was asked: "not applicable" does only with its reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from verify.criteria import CriteriaRules, says_something
from verify.documents.phrases import Phrases, tokens_of


class AnswerRules(NamedTuple):
    """The words of ``verify.gates`` for answers."""

    exemptions: Phrases
    no_reasons: Phrases
    criteria: CriteriaRules

    @classmethod
    def from_value(cls, value: Mapping[str, Iterable[str]], criteria: CriteriaRules) -> AnswerRules:
        """The rules from the payload's ``answers``."""
        no_reasons = Phrases([*value["empty_reasons"], *value["connectors"]])
        return cls(Phrases(value["exemptions"]), no_reasons, criteria)

    def given(self, text: str) -> bool:
        """Whether ``text`` says something, or why there is nothing to say ("n/a because it runs locally")."""
        return self.exempted(text) or (not self._exempts(text) and says_something(text, self.criteria.cues))

    def exempted(self, text: str) -> bool:
        """Whether ``text`` says that something is not applicable, and why."""
        behind = self._exempts(text)
        if not behind:
            return False
        rest = tokens_of(text[behind:])
        place, words = 0, False
        while place < len(rest):
            taken = self.no_reasons.at(rest, place)
            words = words or (not taken and rest[place].text.isalnum())
            place += taken or 1
        return words and says_something(text[behind:], self.criteria.cues)

    def _exempts(self, text: str) -> int:
        """Where a text goes on that begins with "not applicable"; 0 where it does not."""
        tokens = tokens_of(text)
        start = next((place for place, token in enumerate(tokens) if token.text[0].isalnum()), 0)
        taken = self.exemptions.at(tokens, start)
        return tokens[start + taken - 1].end if taken else 0
