"""SARIF 2.1.0, as code scanning and editors read it, within the limits that GitHub sets."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Final
from urllib.parse import quote

from toolkit.reporting.json_output import dumps
from toolkit.reporting.report import Grade, Item, Level, Progress, Report, State
from toolkit.reporting.visible import visible

Json = dict[str, object]

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
VERSION: Final = "2.1.0"
ROOT: Final = "%SRCROOT%"

# GitHub ("SARIF support for code scanning") refuses a file whole that has more results a run than this, or that is
# larger than 10 MB in gzip; it keeps 255 characters of an id and 1,024 of a description, and ten tags. The results may
# take 6 MB of the ten, so that notifications and facts of any content have room beside them.
MAX_RESULTS: Final = 25_000
MAX_PACKED: Final = 6_000_000
MAX_ID: Final = 255
MAX_TEXT: Final = 1_024
MAX_LISTED: Final = 10
MAX_NOTIFICATIONS: Final = 500
MAX_FACTS: Final = 100
MAX_LINE: Final = 2**31 - 1  # the largest that every reader can hold

_VERDICTS: Final = {Grade.BLOCKED: Level.ERROR, Grade.CONDITIONAL: Level.WARNING, Grade.SKIPPED: Level.NOTE}


def render(report: Report) -> str:
    """The report as one SARIF run. Counted and waived findings are results, the waived ones suppressed.

    What is no finding (the verdict itself, a discarded or malformed record, a check that could not run) is a
    notification of the run: a result would open an alert. Over the limits the gravest findings stay, and a
    notification says how many were left out.
    """
    standing = (*report.in_state(State.COUNTED), *report.in_state(State.WAIVED))
    items = sorted(standing, key=lambda item: item.rank)
    results, rules = _results(report, items)
    run: Json = {
        "automationDetails": {"id": _category(report)},
        "invocations": [_invocation(report, len(items) - len(results))],
        "properties": _properties(report),
        "results": results,
        "tool": {"driver": _driver(report, rules)},
    }
    return dumps({"$schema": SCHEMA, "version": VERSION, "runs": [run]})


def _category(report: Report) -> str:
    """Ends in an empty part, so that a run replaces the last one over the same subject and scope, and no other."""
    return "/".join((*(visible(part, MAX_ID) for part in (report.tool.name, report.subject, report.scope)), ""))


def _driver(report: Report, rules: list[Json]) -> Json:
    driver: Json = {
        "name": visible(report.tool.name, MAX_ID),
        "rules": rules,
        "version": visible(report.tool.version, MAX_ID),
    }
    if report.tool.uri:
        driver["informationUri"] = _uri(report.tool.uri)
    return driver


def _results(report: Report, items: Sequence[Item]) -> tuple[list[Json], list[Json]]:
    """As many results as fit, in order, and the rules that they name; the first finding of a rule gives its level."""
    meter, packed = zlib.compressobj(level=1), 0
    results: list[Json] = []
    rules: dict[str, Json] = {}
    indices: dict[str, int] = {}
    seen: Counter[str] = Counter()
    for item in items[:MAX_RESULTS]:
        rule_id = visible(item.rule.id, MAX_ID)
        index = indices.setdefault(rule_id, len(indices))
        rule = rules.get(rule_id) or _rule(report, item, rule_id)
        result = _result(report, item, rule_id, index, seen)
        packed += len(meter.compress(json.dumps([result] if rule_id in rules else [result, rule]).encode()))
        if packed > MAX_PACKED:
            break
        rules[rule_id] = rule
        results.append(result)
    return results, list(rules.values())


def _rule(report: Report, item: Item, rule_id: str) -> Json:
    description = {"text": _text(item.rule.description or item.rule.id)}
    rule: Json = {
        "defaultConfiguration": {"level": report.level(item).value},
        "fullDescription": description,
        "help": description,
        "id": rule_id,
        "shortDescription": description,
    }
    if item.rule.uri:
        rule["helpUri"] = _uri(item.rule.uri)
    return rule


def _result(report: Report, item: Item, rule_id: str, index: int, seen: Counter[str]) -> Json:
    result: Json = {
        "level": report.level(item).value,
        "locations": [_location(item)],
        "message": {"text": _message(item)},
        "partialFingerprints": {"primaryLocationLineHash": _fingerprint(item, seen)},
        "properties": _result_properties(item),
        "ruleId": rule_id,
        "ruleIndex": index,
    }
    if item.state is State.WAIVED:
        reason = _text(item.reason or "waived")
        result["suppressions"] = [{"justification": reason, "kind": "external", "status": "accepted"}]
    return result


def _result_properties(item: Item) -> Json:
    properties: Json = {"id": _text(item.id), "origin": _text(item.origin), "severity": _text(item.severity)}
    if item.criteria:
        properties["criteria"] = [_text(label) for label in item.criteria[:MAX_LISTED]]
    if item.tags:
        properties["tags"] = list(dict.fromkeys(visible(tag, MAX_ID) for tag in item.tags[:MAX_LISTED]))
    return properties


def _message(item: Item) -> str:
    """The message, then what to do and what to beware of, a line each (a plain-text message may have paragraphs)."""
    parts = [item.message or item.rule.id]
    if item.fix:
        parts.append(f"Fix: {item.fix}")
    parts.extend(f"Note: {note}" for note in item.notes)
    return "\n".join(_text(part) for part in parts[:MAX_LISTED])


def _text(text: str) -> str:
    """``text`` as a SARIF message says it literally: no placeholder (braces doubled), no embedded link."""
    growth = sum(text.count(mark, 0, MAX_TEXT) for mark in ("{", "}", "]("))
    shown = visible(text, MAX_TEXT - min(growth, MAX_TEXT // 2))
    return shown.replace("{", "{{").replace("}", "}}").replace("](", "] (")


def _location(item: Item) -> Json:
    """A file and a line. Both are always there: GitHub refuses a whole file for one result without them.

    A finding about no file points at the root of the project, one about a whole file at its first line.
    """
    region: Json = {"startLine": min(max(item.line or 1, 1), MAX_LINE)}
    if item.quote:
        region["snippet"] = {"text": item.quote[:MAX_TEXT]}
    return {"physicalLocation": {"artifactLocation": _artifact(item.path or "."), "region": region}}


def _artifact(path: str) -> Json:
    """The file as a URI reference: relative to the project's root, or a file URI where the path is absolute."""
    try:
        octets = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a lone surrogate that stands for no byte of a file name
        octets = path.encode("utf-8", "surrogatepass")
    encoded = quote(octets, safe="/")
    if encoded.startswith("/"):
        return {"uri": f"file:///{encoded.lstrip('/')}"}
    return {"uri": encoded, "uriBaseId": ROOT}


def _uri(uri: str) -> str:
    return quote(uri, safe="%/:?#[]@!$&'()*+,;=-._~", errors="replace")


def _fingerprint(item: Item, seen: Counter[str]) -> str:
    """What the finding is, wherever its line stands, and the how-many-eth of its like it is.

    GitHub compares this key alone. Left to itself it hashes the line, which makes one alert of all findings that
    stand at the same line of a document for the same rule.
    """
    what = [item.rule.id, item.path, item.quote or item.message, *item.criteria]
    digest = sha256(json.dumps(what).encode()).hexdigest()[:16]
    seen[digest] += 1
    return f"{digest}:{seen[digest]}"


def _invocation(report: Report, left_out: int) -> Json:
    notifications = list(_notifications(report))
    dropped = len(notifications) - MAX_NOTIFICATIONS
    del notifications[MAX_NOTIFICATIONS:]
    if dropped > 0:
        notifications.append(_notification(Level.WARNING, f"{dropped} more notifications were left out."))
    if left_out:
        told = f"{left_out} of the findings were left out, the least grave: a file holds no more."
        notifications.insert(0, _notification(Level.WARNING, told))
    return {"executionSuccessful": report.complete, "toolExecutionNotifications": notifications}


def _notifications(report: Report) -> Iterator[Json]:
    if report.grade is not Grade.PASSED:  # a report may block without a finding, and a skipped one has none
        yield _notification(_VERDICTS[report.grade], f"{report.headline}: {report.reason}")
    for step in (*report.checks, *report.layers):
        if step.progress is Progress.NOT_DONE:
            yield _notification(Level.ERROR, ": ".join(filter(None, (step.name, step.status, step.detail))))
    for malformed in report.malformed:
        problems = "; ".join(malformed.problems[:MAX_LISTED])
        yield _notification(Level.WARNING, f"{malformed.origin}: malformed record: {problems}")
    for item in report.in_state(State.DISCARDED):
        yield _notification(Level.NOTE, f"{item.id}: discarded ({item.reason}): {item.message}", item)


def _notification(level: Level, text: str, item: Item | None = None) -> Json:
    notification: Json = {"level": level.value, "message": {"text": _text(text)}}
    if item is not None:
        notification["locations"] = [_location(item)]
    return notification


def _properties(report: Report) -> Json:
    facts = {visible(label, MAX_ID): visible(value, MAX_TEXT) for label, value in report.facts[:MAX_FACTS]}
    return {
        "facts": facts,
        "reason": visible(report.reason, MAX_TEXT),
        "verdict": visible(report.headline, MAX_ID),
    }
