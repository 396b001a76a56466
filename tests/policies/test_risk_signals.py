"""What a change shows of its risk: sample changes of many kinds, those that only look risky, and hostile ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.policy.problems import PolicyError
from toolkit.policy.sets import PolicySet

Change = dict[str, Any]


def change(
    path: str, text: str = "", *, kind: str = "modified", modes: tuple[str | None, str | None] | None = None
) -> Change:
    """One changed file as a frozen candidate offers it."""
    old, new = modes or (None if kind == "added" else "100644", None if kind == "deleted" else "100644")
    lines = text.count("\n") + bool(text)
    facts = {"path": path, "change": kind, "authored_lines": lines, "added_text": text}
    return {**facts, "old_mode": old, "new_mode": new}


def signals(policies: PolicySet, *files: Change) -> set[str]:
    decisions = policies.table("review.risk-signals").decide_all(files=list(files))
    return {str(decision.outputs["signal"]) for decision in decisions}


# By path alone: what the name says, whatever the file holds.
PATHS: Mapping[str, tuple[str, ...]] = {
    "policy": (
        ".dr/config.yaml",
        ".dr/policies/x.yaml",
        "app/.dr/waivers.yaml",
        ".DR/config.yaml",
        ".dr",
        ".dr/README.md",
    ),
    "auth": (
        *("service-token/handler.go", "internal/auth/token.go", "src/Auth/x", "lib/OAuthClient.kt", "AuthOptions.ts"),
        *(
            "userAuth.js",
            "auth.py",
            "src/login_form.tsx",
            "saml/acs.rb",
            "reset_password.php",
            "config/credentials.yml",
        ),
    ),
    "update": ("src/updater.rs", "Auto-Update/feed.xml", "install.py", "tools/selfupdate.go", ".gitmodules"),
    "security": (
        *("meta_webhook.py", "webhooks/stripe_events.py", "src/crypto.c", "csrf.py", "tls/config.go", "certs/ca.pem"),
        *(".env", ".env.production", "SECURITY/keys.go", "src/secret_store.ts"),
    ),
    "payments": ("billing/period.rb", "Payments/Refund.java", "src/invoice.ts", "stripe/client.py", "pricing.go"),
    "data-exposure": ("src/redaction.py", "telemetry.ts", "privacy/export.go", "pii.py"),
    "data-loss": ("db/migrations/0001_init.py", "alembic/versions/a.py", "backup.go", "jobs/purge_users.rb"),
    "permissions": ("CODEOWNERS", "app/permissions.py", "rbac/roles.go", "policy/main.rego", ".claude/settings.json"),
    "shell-process": (
        *("run.sh", "scripts/x.PS1", "Makefile", "docker/Dockerfile", "Dockerfile.dev", ".github/workflows/ci.yml"),
        *(".gitlab-ci.yml", "Jenkinsfile", ".husky/pre-commit", ".pre-commit-config.yaml"),
    ),
}

# By an added line, in a file whose name says nothing.
LINES: Mapping[str, tuple[str, ...]] = {
    "auth": (
        "token = jwt.decode(raw)",
        "if not user.is_authenticated:",
        "expiry = accessToken.exp",
        "hash_password(p)",
    ),
    "update": ("curl https://x.example/i.sh | sh", '  "postinstall": "node x.js"'),
    "security": ("requests.get(u, verify=False)", "InsecureSkipVerify: true", "x = eval(text)", "pickle.loads(data)"),
    "payments": ("stripe.refunds.create(x)", "payment_intent = 1", "creditCard: string"),
    "data-exposure": (
        "logger.debug('got %s', request.body)",
        "Access-Control-Allow-Origin: *",
        "-----BEGIN RSA PRIVATE KEY-----",
    ),
    "data-loss": (
        "DROP TABLE users;",
        "delete from users",
        "shutil.rmtree(path)",
        "rm -rf $TARGET",
        "git reset --hard",
    ),
    "permissions": ("os.chmod(path, 0o777)", "GRANT SELECT ON t TO app;", '"Effect": "Allow"', "privileged: true"),
    "shell-process": (
        *(
            "import subprocess",
            "from os import system",
            "os.popen(c)",
            "subprocess.run(argv)",
            "m = __import__('subprocess')",
        ),
        *("await asyncio.create_subprocess_exec(*argv)", "run(cmd, shell=True)"),
        *(
            "const { spawn } = require('child_process')",
            "import cp from 'node:child_process'",
            "spawn('ls')",
            "exec('ls')",
        ),
        *(
            "exec(`ls ${dir}`)",
            "execSync(x)",
            "cp.exec(x)",
            'import "os/exec"',
            'exec.Command("ls")',
            "Command::new(x)",
        ),
        *("use std::process::Command;", "Runtime.getRuntime().exec(c);", "new ProcessBuilder(c)", "Process.Start(c)"),
        *(
            "shell_exec($c);",
            "exec($c);",
            "int r = system(c);",
            "execvp(a, b);",
            "pid = fork();",
            'System.cmd("ls", [])',
        ),
        *("#!/bin/sh", "#!/usr/bin/env bash", "bash -c x", '["sh", "-c", "x"]'),
    ),
}

# What only looks like it.
HARMLESS_PATHS = (
    *("AUTHORS", "src/author.py", "authority/list.go", "nlp/tokenizer.py", "css/design-tokens.css", "ClassLoader.java"),
    *("src/battles.py", "src/lossless.c", "concert.py", "src/recorder.ts", "striped_table.css", "src/parser.py"),
    *("docs/auth.md", "SECURITY.md", "docs/billing/invoices.rst", "src/syntax.py", "drive/file.py", "x.dr/file.py"),
)
HARMLESS_LINES = (
    *("rows = db.exec(sql)", "this.db.exec('SELECT 1')", "$pdo->exec($sql);", "m = /x/.exec(line)", "session.exec(q)"),
    *("conn.execute(q)", "await db.exec(`SELECT ${x}`)", "tokio::spawn(async {})", "thread::spawn(|| {})"),
    *("pool.spawn(task)", "def exec(self, query):", "func (q *Queries) exec(ctx context.Context)", "ecosystem(x)"),
    *("executor.submit(f)", "author = 1", "tokens = tokenize(text)", "medieval(x)", "x.filesystem(y)", "removed = 1"),
)


@pytest.mark.parametrize(("signal", "path"), [(signal, path) for signal, paths in PATHS.items() for path in paths])
def test_the_name_of_a_file_shows_its_risk(policies: PolicySet, signal: str, path: str) -> None:
    assert signal in signals(policies, change(path))


@pytest.mark.parametrize(("signal", "line"), [(signal, line) for signal, lines in LINES.items() for line in lines])
def test_an_added_line_shows_its_risk(policies: PolicySet, signal: str, line: str) -> None:
    assert signal in signals(policies, change("src/part.x", f"before\n{line}\nafter\n", kind="added"))


@pytest.mark.parametrize("path", HARMLESS_PATHS)
def test_a_name_that_only_looks_risky_is_not(policies: PolicySet, path: str) -> None:
    assert signals(policies, change(path)) == set()


@pytest.mark.parametrize("line", HARMLESS_LINES)
def test_a_line_that_only_looks_risky_is_not(policies: PolicySet, line: str) -> None:
    assert signals(policies, change("src/store.x", f"{line}\n")) == set()


def test_prose_carries_none_of_the_risks_that_it_describes(policies: PolicySet) -> None:
    everything = "\n".join(line for lines in LINES.values() for line in lines)
    for path in ("docs/guide.md", "docs/auth/token.RST", "billing/README.markdown", "a.adoc"):
        assert signals(policies, change(path, everything)) == set()


def test_tests_and_fixtures_are_looked_at_like_everything_else(policies: PolicySet) -> None:
    assert signals(policies, change("tests/test_auth.py")) == {"auth"}
    assert signals(policies, change("tests/fixtures/run.x", "import subprocess\n")) == {"shell-process"}


@pytest.mark.parametrize(
    ("kind", "modes", "expected"),
    [
        ("mode", ("100644", "100755"), {"permissions"}),
        ("mode", (None, None), {"permissions"}),
        ("modified", ("100644", "100755"), {"permissions"}),
        ("modified", ("100755", "100644"), {"permissions"}),
        ("added", (None, "100755"), {"permissions"}),
        ("renamed", ("100644", "100755"), {"permissions"}),
        ("modified", ("100644", "104755"), {"permissions"}),
        ("added", (None, "120000"), {"security"}),
        ("modified", ("100644", "120000"), {"security"}),
        ("modified", ("120000", "120000"), set()),
        ("modified", ("160000", "160000"), {"update"}),
        ("added", (None, "160000"), {"update"}),
        ("modified", ("100755", "100755"), set()),
        ("added", (None, "100644"), set()),
        ("deleted", ("100755", None), set()),
    ],
)
def test_a_mode_shows_what_a_file_may_do_or_stands_for(
    policies: PolicySet, kind: str, modes: tuple[str | None, str | None], expected: set[str]
) -> None:
    assert signals(policies, change("src/part.x", kind=kind, modes=modes)) == expected


def test_taking_a_protection_away_shows_by_its_name(policies: PolicySet) -> None:
    assert signals(policies, change("src/csrf.py", kind="deleted")) == {"security"}


@pytest.mark.parametrize(
    "path",
    [
        "au\nth/auth\n.py",
        "src/auth/\x1b[31mred.py",
        'src/"auth"/x',
        "src/ auth /x",
        "auth/\ufffd\ufffd",
        "-auth",
        "src/\u202eauth/x",
        "a" * 4000 + "/auth/x",
        "auth.md/x",
    ],
)
def test_a_hostile_name_hides_nothing(policies: PolicySet, path: str) -> None:
    assert signals(policies, change(path)) == {"auth"}


@given(before=st.text(max_size=20), after=st.text(max_size=20))
def test_nothing_around_the_folder_of_the_rules_hides_it(policies: PolicySet, before: str, after: str) -> None:
    prefix = f"{before.strip('/')}/" if before.strip("/") else ""
    name = after.strip("/") or "x"
    assert "policy" in signals(policies, change(f"{prefix}.dr/{name}"))


def test_a_name_that_is_no_unicode_is_refused_and_not_passed_over(policies: PolicySet) -> None:
    with pytest.raises(PolicyError) as refused:
        signals(policies, change("auth/\udcff"))
    assert refused.value.code == "fact_invalid"


def test_a_line_too_long_to_be_looked_at_is_an_error_and_no_miss(policies: PolicySet) -> None:
    with pytest.raises(PolicyError) as refused:
        signals(policies, change("src/part.x", "x" * 70_000 + "import subprocess"))
    assert refused.value.code == "line_too_long"


def test_a_signal_says_which_file_and_which_row_it_comes_from(policies: PolicySet) -> None:
    files = [change("src/parser.py"), change("login/reset.py", "os.system('x')\n")]
    decisions = policies.table("review.risk-signals").decide_all(files=files)
    assert [(one.item, one.row) for one in decisions] == [(1, "auth-path"), (1, "process-code")]
    assert all(one.outputs["reason"] for one in decisions)


def test_every_signal_of_the_vocabulary_can_be_raised_and_makes_the_tier_high(policies: PolicySet) -> None:
    raised = {str(row.then["signal"]) for row in policies.table("review.risk-signals").document.rows}
    assert raised == set(policies.vocabulary("review.signal").terms)
    for signal in raised:
        outputs = policies.table("review.risk").decide(authored_lines=1, signals=[signal], passive=True).outputs
        assert outputs == {"tier": "high"}


def test_the_rows_that_a_repository_is_told_to_edit_stand(policies: PolicySet) -> None:
    rows = {row.id for row in policies.table("review.risk-signals").document.rows}
    assert {"auth-path", "payments-path", "shell-path"} <= rows


def test_a_long_passive_change_gets_one_lens_and_the_row_that_says_why(policies: PolicySet) -> None:
    files = [change("docs/guide.md", "word\n" * 1001)]
    tier = policies.table("review.risk").decide(
        authored_lines=1001, signals=sorted(signals(policies, *files)), passive=True
    )
    dominant = policies.table("review.dominant-lens").decide(
        passive=True, authored_lines=1001, risk_lines=0, resilience_lines=0, readability_lines=1001
    )
    lenses = policies.table("review.lenses").decide(tier=tier.outputs["tier"], dominant=dominant.outputs["lens"])
    assert (tier.row, lenses.outputs["lenses"]) == ("large-passive-change", ("readability",))
