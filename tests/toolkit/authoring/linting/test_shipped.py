"""What is shipped passes the lint, as all other policies must."""

from __future__ import annotations

from toolkit.authoring.linting import lint
from toolkit.policy.layers import PROFILE, SHIPPED, Source
from toolkit.policy.sets import PolicySet
from toolkit.shipped import read_shipped


def sources() -> list[Source]:
    shipped = read_shipped()
    profiles = [file for overlays in shipped.profiles.values() for file in overlays.items()]
    return [
        *(Source(name, data, SHIPPED) for name, data in shipped.documents.items()),
        *(Source(name, data, PROFILE) for name, data in profiles),
        *(Source(name, data, SHIPPED) for name, data in (*shipped.shapes.items(), *shipped.templates.items())),
    ]


def test_no_shipped_policy_profile_shape_or_template_deceives(policies: PolicySet) -> None:
    assert lint(policies, sources(), lambda _layer: policies) == ((), ())


def test_one_letter_in_a_shipped_policy_is_enough_to_be_told(policies: PolicySet) -> None:
    name = "policies/verify/verdict.yaml"
    (one,) = [source for source in sources() if source.file == name]
    edited = one._replace(data=one.data.replace(b"id: high-finding", "id: h\u0456gh-finding".encode(), 1))
    (problem,) = lint(policies, [edited], lambda _layer: policies).problems
    assert (problem.code, problem.document) == ("homoglyph", "verify.verdict")
    assert "high-finding" in problem.message
