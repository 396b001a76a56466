"""Cited paths: which words of a plan's inline code are paths, which are marked as new, and where they stand."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.policy.sets import PolicySet
from verify.markdown import Block, BlockKind, CodeSpan, parse_markdown, split_lines
from verify.paths import (
    Citation,
    Citations,
    Doubt,
    Outcome,
    PathRules,
    Roots,
    find_citations,
    holders,
    judge,
    resolve,
)
from verify.paths.nested import nested_repositories
from verify.paths.rules import NestedRules

LINKS = 40


@pytest.fixture(scope="module")
def rules(policies: PolicySet) -> PathRules:
    return PathRules.from_policy(policies)


def cite(rules: PathRules, *spans: str) -> Citations:
    """The citations of one list item that holds these code spans."""
    block = Block(BlockKind.ITEM, 1, 1, " ", spans=tuple(CodeSpan(span, 1) for span in spans), level=1)
    return find_citations([block], rules)


def cite_in(rules: PathRules, source: str) -> Citations:
    """The citations of a Markdown document."""
    return find_citations(parse_markdown(source), rules, split_lines(source))


def marked(rules: PathRules, source: str) -> list[str]:
    """The cited texts of a Markdown document that are marked as new."""
    return [citation.text for citation in cite_in(rules, source).paths if citation.marked_new]


def put(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(b"")


# -- what is a path -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("span", "text"),
    [
        ("src/core.py", "src/core.py"),
        ("store.py", "store.py"),
        ("src/core.py:42", "src/core.py"),
        ("src/core.py:42:7", "src/core.py"),
        ("src/core.py:10-20", "src/core.py"),
        ("src/core.py#L10", "src/core.py"),
        ("src/core.py#L10-L20", "src/core.py"),
        ("docs/guide.md#installing", "docs/guide.md"),
        ("src/core.py:create_app", "src/core.py"),
        ("docs/two words.md", "docs/two words.md"),
        ("docs/two words.md:12", "docs/two words.md"),
        ("path with space/f.sh", "path with space/f.sh"),
        (".github/CODEOWNERS", ".github/CODEOWNERS"),
        (".github/workflows/ci.yml", ".github/workflows/ci.yml"),
        (".env", ".env"),
        (".env.example", ".env.example"),
        (".gitignore", ".gitignore"),
        ("Makefile", "Makefile"),
        ("Makefile:12", "Makefile"),
        ("deploy/Dockerfile", "deploy/Dockerfile"),
        ("Dockerfile.dev", "Dockerfile.dev"),
        ("./src/a.py", "./src/a.py"),
        ("../common/a.py", "../common/a.py"),
        ("src/A.PY", "src/A.PY"),
        ("docs/план.md", "docs/план.md"),
        ("MyApp.Tests/UnitTest.cs", "MyApp.Tests/UnitTest.cs"),
        ("schema/user.prisma", "schema/user.prisma"),
        ("infra/main.tf", "infra/main.tf"),
        ("src/lib.rs", "src/lib.rs"),
        ('"src/a.py"', "src/a.py"),
        ("--config=conf/a.yaml", "conf/a.yaml"),
        ("CONFIG=conf/a.yaml", "conf/a.yaml"),
        ("bash scripts/run.sh --x", "scripts/run.sh"),
        ("pytest tests/test_x.py::test_y", "tests/test_x.py"),
        ("pytest tests/test_x.py::test_y[a*b/c.py]", "tests/test_x.py"),
        ('tool --config="conf/a.yaml"', "conf/a.yaml"),
        ("sudo bash -x scripts/run.sh", "scripts/run.sh"),
        ("PYTHONPATH=src python tools/gen.py", "tools/gen.py"),
        ("$ pytest tests/test_x.py", "tests/test_x.py"),
        ("sort < data/in.csv", "data/in.csv"),
        ("grep -n 'store.py' docs/x.md", "docs/x.md"),
        ("docker run -v ./a.yaml:/etc/a.yaml image", "./a.yaml"),
    ],
)
def test_a_path_is_cited_alone_and_surely(rules: PathRules, span: str, text: str) -> None:
    cited = cite(rules, span)
    assert [(path.text, path.doubt) for path in cited.paths] == [(text, Doubt.NONE)]
    assert cited.unsure == 0


@pytest.mark.parametrize(
    "span",
    [
        "Node.js",
        "Vue.js",
        "https://example.com/a/b.json",
        "//cdn.example.com/a.js",
        "10.0.0.0/8",
        "192.168.0.1",
        "1.2.3",
        "v1.2.3",
        "src/**/*.py",
        "*.md",
        "src/{a,b}.py",
        "<name>/x.md",
        "cat <dir>/sub/x.md",
        "~/x",
        "~/x.sh",
        "bun ~/x/y.ts",
        "$HOME/x",
        "$HOME/x.md",
        '"$ROOT"/scripts/x.sh',
        "$(git rev-parse --show-toplevel)/scripts/x.sh",
        "{id}.md",
        "%s.md",
        "...",
        "src/....py",
        "go test ./...",
        "app.kubernetes.io/name",
        ".yaml",
        ".d.ts",
        ".tar.gz",
        "os.path.join",
        "module.func()",
        'open("x.json")',
        "print(open('a.json'), 'b.py')",
        "self.x",
        "self.c",
        "someone@example.com",
        "git@example.com:org/repo.git",
        "a.md -> b.md",
        "a.md → b.md",
        "--flag",
        "-x",
        "application/json",
        "image/svg+xml",
        "origin/main",
        "main..feature/x",
        "HEAD~3..HEAD",
        "and/or",
        "/api/users",
        "/dr-verify",
        "pytest -k a.py",
        "make > build.log",
        "cat /dev/null",
        'git commit -m "fix src/a.py"',
        "import x from './y.js'",
        "POST /v1/items.json",
        "true",
        ".",
        "..",
        "../..",
        "/",
        "-",
        "",
        "   ",
    ],
)
def test_what_is_no_path_is_neither_cited_nor_unsure(rules: PathRules, span: str) -> None:
    assert cite(rules, span) == Citations((), 0)


@pytest.mark.parametrize(
    "span", ["src\\a.py", "C:\\src\\a.py", "HEAD:src/a.py", "/robots.txt", "cd src && python app.py"]
)
def test_what_cannot_be_read_is_only_counted(rules: PathRules, span: str) -> None:
    assert cite(rules, span) == Citations((), 1)


def test_a_span_over_the_limit_is_counted_unread(rules: PathRules) -> None:
    longest = "a" * (rules.longest_span - 3) + ".py"
    assert len(cite(rules, longest).paths) == 1
    assert cite(rules, "a" + longest) == Citations((), 1)


@pytest.mark.parametrize(
    "span", ["App.js", "node.js", "response.json", "README", "src/", "docs/YYYY.md", "dist/app.js", "a.h"]
)
def test_what_may_be_something_else_is_unsure_where_it_is_not_found(
    rules: PathRules, span: str, tmp_path: Path
) -> None:
    roots = Roots([tmp_path], LINKS)
    judged = judge(cite(rules, span), roots)
    assert (judged.cited, judged.missing, judged.unsure) == (0, (), 1)
    (tmp_path / span).mkdir(parents=True)
    judged = judge(cite(rules, span), Roots([tmp_path], LINKS))
    assert (judged.cited, judged.missing, judged.unsure) == (1, (), 0)


@pytest.mark.parametrize("span", ["example.com/api.json", "10.0.0.1/x.json", "api/v1/"])
def test_a_host_or_a_route_is_a_path_only_below_a_folder_that_exists(
    rules: PathRules, span: str, tmp_path: Path
) -> None:
    assert judge(cite(rules, span), Roots([tmp_path], LINKS)).unsure == 1
    (tmp_path / span.partition("/")[0]).mkdir()
    assert [claim.text for claim in judge(cite(rules, span), Roots([tmp_path], LINKS)).missing] == [span]


def test_several_paths_of_one_span_are_cited_one_by_one(rules: PathRules) -> None:
    texts = [path.text for path in cite(rules, "src/a.py, src/b.py", "diff conf/a.yaml conf/b.yaml").paths]
    assert texts == ["src/a.py", "src/b.py", "conf/a.yaml", "conf/b.yaml"]


def test_code_blocks_fences_and_comments_cite_nothing(rules: PathRules) -> None:
    source = "```\n`src/a.py`\n```\n\n    `src/b.py`\n\n<!-- `src/c.py` -->\n\nText <!-- `src/d.py` --> goes on.\n"
    assert cite_in(rules, source) == Citations((), 0)
    span = (CodeSpan("src/a.py", 1),)
    blocks = [Block(kind, 1, 1, "src/a.py", spans=span) for kind in (BlockKind.FENCE, BlockKind.CODE, BlockKind.HTML)]
    assert find_citations(blocks, rules) == Citations((), 0)


def test_prose_without_inline_code_cites_nothing(rules: PathRules) -> None:
    assert cite_in(rules, "Touch src/a.py and [src/b.py](src/b.py).") == Citations((), 0)


def test_the_line_is_that_of_the_code_span_in_every_kind_of_block(rules: PathRules) -> None:
    source = """\
# Plan
## Step 1: `src/a.py`

See this
and `src/b.py`.

- touch `src/c.py`

| Step | File |
| --- | --- |
| 1 | `src/d.py` |
"""
    cited = [(path.text, path.line) for path in cite_in(rules, source).paths]
    assert cited == [("src/a.py", 2), ("src/b.py", 5), ("src/c.py", 7), ("src/d.py", 11)]


@given(text=st.text(max_size=80))
def test_any_text_has_an_answer_and_each_cited_path_stands_in_it(rules: PathRules, text: str) -> None:
    for path in cite(rules, text).paths:
        assert path.text
        assert path.text in text


SHELLISH = st.text(alphabet="ab.py/ :#\"'<>()|&;$\\*@=~-,", max_size=60)


@given(text=SHELLISH)
def test_any_command_line_has_an_answer_within_the_text(rules: PathRules, text: str) -> None:
    assert all(path.text and path.text in text for path in cite(rules, text).paths)


# -- what is marked as new ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        "Create `src/n.py` for it.",
        "Add the store in `src/n.py`",
        "Write `src/n.py`",
        "introduces `src/n.py`",
        "Step 3: create `src/n.py`",
        "3. Create `src/n.py`",
        "Создать `src/n.py`",
        "Шаг 2. Добавляем `src/n.py`",
        "Store in `src/n.py` (new)",
        "Store in `src/n.py` (NEW, 40 lines)",
        "Store in `src/n.py` (новый файл)",
        "`src/n.py` — new file",
        "Store in a new file, `src/n.py`",
        "`touch src/n.py`",
    ],
)
def test_a_step_that_creates_marks_its_paths_as_new(rules: PathRules, source: str) -> None:
    assert marked(rules, f"- {source}") == ["src/n.py"]


@pytest.mark.parametrize(
    "source",
    [
        "Change `src/n.py` to create stores.",
        "`src/n.py`: add validation",
        "Additional checks in `src/n.py`",
        "Touch `src/n.py`. That needs a new file elsewhere.",
        "Renew files in `src/n.py`",
        "See `src/n.py` (newer)",
    ],
)
def test_other_steps_mark_nothing(rules: PathRules, source: str) -> None:
    assert cite_in(rules, f"- {source}").paths
    assert marked(rules, f"- {source}") == []


def test_a_remark_belongs_to_the_path_beside_it(rules: PathRules) -> None:
    assert marked(rules, "Touch `src/a.py` and `src/b.py` (new), then `src/c.py`.") == ["src/b.py"]
    assert marked(rules, "Touch `src/a.py` and\n`src/b.py`\n(**new**), then `src/c.py`.") == ["src/b.py"]
    assert marked(rules, "Touch `src/a.py` and the new file `src/b.py`.") == ["src/b.py"]
    assert marked(rules, "From `src/z.py`: new files `src/a.py`, `src/b.py` and `src/c.py`; see `src/d.py`.") == [
        "src/a.py",
        "src/b.py",
        "src/c.py",
    ]


def test_without_the_source_a_remark_belongs_to_every_path_of_its_block(rules: PathRules) -> None:
    blocks = parse_markdown("Touch `src/a.py` and `src/b.py` (new)")
    assert [path.marked_new for path in find_citations(blocks, rules).paths] == [True, True]


def test_what_is_nested_in_a_creating_step_is_new_and_what_follows_it_is_not(rules: PathRules) -> None:
    source = """\
1. Create the store:
   - `src/a.py`
     - `src/deep.py`

   with `src/b.py`
2. - [x] Touch `src/c.py`
3. Touch `src/d.py`

See `src/e.py`.
"""
    assert marked(rules, source) == ["src/a.py", "src/deep.py", "src/b.py"]


def test_a_list_or_table_after_new_files_is_new_up_to_the_next_paragraph(rules: PathRules) -> None:
    source = """\
New files:

- `src/a.py`
- `src/b.py`

| File |
| --- |
| `src/c.py` |

Changed files:

- `src/d.py`
"""
    assert marked(rules, source) == ["src/a.py", "src/b.py", "src/c.py"]


def test_a_creating_step_heading_covers_its_section_and_the_title_covers_nothing(rules: PathRules) -> None:
    source = """\
# Add payments

- Touch `src/a.py`

## Step 2: Create the store

### Where

- Put it in `src/b.py`

## Step 3: Wire it

- Touch `src/c.py`

## New files

- `src/d.py`
"""
    assert marked(rules, source) == ["src/b.py", "src/d.py"]


def test_a_table_row_is_new_when_a_cell_says_so(rules: PathRules) -> None:
    source = """\
| File | Action | Where |
| --- | --- | --- |
| `src/a.py` | create | |
| `src/b.py` | change | |
| `src/c.py` | **New** | |
| 4 | Add store | `src/d.py` |
| `src/e.py` (new) | | |
"""
    assert marked(rules, source) == ["src/a.py", "src/c.py", "src/d.py", "src/e.py"]


def test_a_path_that_is_marked_once_is_new_wherever_it_is_cited(rules: PathRules, tmp_path: Path) -> None:
    cited = (Citation("src/n.py", 1, False), Citation("./src/n.py", 4, True))
    judged = judge(Citations(cited, 0), Roots([tmp_path], LINKS))
    assert judged.missing == ()
    assert [(claim.text, claim.line) for claim in judged.coming] == [("src/n.py", 1)]


# -- where paths stand ----------------------------------------------------------------------------------------------


def test_a_path_resolves_under_the_first_root_that_has_it(tmp_path: Path) -> None:
    put(tmp_path, "w/a.md", "w/datarim/plans/p.md", "fw/a.md", "fw/skills/s.md")
    declared = [tmp_path / "w", tmp_path / "w/datarim", tmp_path / "fw"]
    roots = Roots(declared, LINKS)
    assert resolve("a.md", roots).root == declared[0]
    assert resolve("plans/p.md", roots).root == declared[1]
    assert resolve("skills/s.md", roots).root == declared[2]
    assert resolve("datarim/plans/p.md", roots).root == declared[0]
    assert resolve("gone.md", roots).outcome is Outcome.MISSING
    assert resolve("a.md/below", roots).outcome is Outcome.MISSING


def test_dots_are_read_as_text_and_stay_inside_or_escape(tmp_path: Path) -> None:
    put(tmp_path, "w/a.md", "w/datarim/plans/p.md", "outside.md")
    roots = Roots([tmp_path / "w", tmp_path / "w/datarim"], LINKS)
    assert roots.resolve("datarim/../a.md").outcome is Outcome.RESOLVED
    assert roots.resolve("nowhere/../a.md").outcome is Outcome.RESOLVED
    assert roots.resolve("../a.md").outcome is Outcome.RESOLVED  # from datarim/
    assert roots.resolve("../gone.md").outcome is Outcome.MISSING
    assert roots.resolve("../../outside.md").outcome is Outcome.ESCAPES


def test_an_absolute_path_is_looked_up_only_inside_a_root(tmp_path: Path) -> None:
    put(tmp_path, "w/src/a.py", "wider/a.py")
    roots = Roots([tmp_path / "w"], LINKS)
    assert roots.resolve(f"{tmp_path}/w/src/a.py").outcome is Outcome.RESOLVED
    assert roots.resolve(f"{tmp_path}/w/src/b.py").outcome is Outcome.MISSING
    assert roots.resolve(f"{tmp_path}/wider/a.py").outcome is Outcome.ESCAPES
    assert roots.resolve(f"{tmp_path}/w/../wider/a.py").outcome is Outcome.ESCAPES
    assert roots.resolve("/etc/passwd").outcome is Outcome.ESCAPES


def test_a_root_reached_by_a_link_is_the_root(tmp_path: Path) -> None:
    put(tmp_path, "real/w/src/a.py")
    (tmp_path / "alias").symlink_to("real")
    roots = Roots([tmp_path / "alias/w"], LINKS)
    assert roots.resolve("src/a.py").outcome is Outcome.RESOLVED
    assert roots.resolve(f"{tmp_path}/alias/w/src/a.py").outcome is Outcome.RESOLVED
    assert roots.resolve(f"{tmp_path}/real/w/src/a.py").outcome is Outcome.RESOLVED


def test_links_are_followed_inside_the_roots_and_never_out_of_them(tmp_path: Path) -> None:
    put(tmp_path, "w/src/a.py", "fw/s.md", "secret/key.pem")
    w = tmp_path / "w"
    (w / "inner").symlink_to("src")
    (w / "to_framework").symlink_to("../fw")
    (w / "out").symlink_to("../secret")
    (w / "key.pem").symlink_to(tmp_path / "secret/key.pem")
    (w / "dangling.py").symlink_to("src/gone.py")
    roots = Roots([w, tmp_path / "fw"], LINKS)
    assert roots.resolve("inner/a.py").outcome is Outcome.RESOLVED
    assert roots.resolve("inner/b.py").outcome is Outcome.MISSING
    assert roots.resolve("to_framework/s.md").outcome is Outcome.RESOLVED
    assert roots.resolve("out/key.pem").outcome is Outcome.ESCAPES
    assert roots.resolve("out/gone.pem").outcome is Outcome.ESCAPES
    assert roots.resolve("key.pem").outcome is Outcome.ESCAPES
    assert roots.resolve("dangling.py").outcome is Outcome.RESOLVED
    assert Roots([w], LINKS).resolve("to_framework/s.md").outcome is Outcome.ESCAPES


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    (tmp_path / "self").symlink_to("self")
    (tmp_path / "a").symlink_to("b/x")
    (tmp_path / "b").symlink_to("a/x")
    roots = Roots([tmp_path], LINKS)
    assert roots.resolve("self").outcome is Outcome.RESOLVED  # the link itself stands there
    assert roots.resolve("self/x.py").outcome is Outcome.MISSING
    assert roots.resolve("a/x.py").outcome is Outcome.MISSING


def test_a_name_that_no_file_can_have_is_missing(tmp_path: Path) -> None:
    roots = Roots([tmp_path], LINKS)
    for text in ("a\x00b.py", "\udcff.py", "\ud800.py", "x" * 300 + ".py", "x/" * 3000 + "y.py"):
        assert roots.resolve(text).outcome is Outcome.MISSING


UNREADABLE = """
import os, sys
from pathlib import Path
from verify.paths import Roots
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
print(Roots([Path(sys.argv[1])], 40).resolve("closed/a.py").outcome.value)
"""


def test_a_folder_that_refuses_to_be_read_is_neither_there_nor_missing() -> None:
    with TemporaryDirectory() as name:
        root = Path(name)
        root.chmod(0o755)
        put(root, "closed/a.py")
        (root / "closed").chmod(0)
        child = subprocess.run([sys.executable, "-c", UNREADABLE, name], capture_output=True, text=True, check=False)
        (root / "closed").chmod(0o755)
    assert (child.stdout.strip(), child.stderr) == ("unreadable", "")


def test_what_could_not_be_looked_up_is_unsure(
    rules: PathRules, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: object) -> None:
        raise PermissionError(errno.EACCES, "refused")

    roots = Roots([tmp_path], LINKS)
    monkeypatch.setattr(os, "lstat", refuse)
    judged = judge(cite(rules, "src/a.py"), roots)
    monkeypatch.undo()
    assert (judged.cited, judged.missing, judged.unsure) == (0, (), 1)


class Probes(list[str]):
    """Every path that was asked for by ``os.lstat``, ``os.stat`` or ``os.readlink``."""


@pytest.fixture
def probes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Probes]:
    seen = Probes()
    for name in ("lstat", "stat", "readlink", "scandir", "open"):
        original = getattr(os, name)

        def recording(path: object, *args: object, _original: object = original, **kwargs: object) -> object:
            seen.append(os.fspath(path) if isinstance(path, (str, os.PathLike)) else repr(path))
            return _original(path, *args, **kwargs)  # type: ignore[operator]

        monkeypatch.setattr(os, name, recording)
    yield seen
    monkeypatch.undo()


def test_nothing_outside_of_the_roots_is_ever_probed(rules: PathRules, tmp_path: Path, probes: Probes) -> None:
    w = tmp_path / "w"
    put(tmp_path, "w/src/a.py", "secret/key.pem", "etc/passwd")
    (w / "out").symlink_to("../secret")
    roots = Roots([w, w / "datarim"], LINKS)
    probes.clear()
    spans = (
        "../../etc/passwd",
        "/etc/passwd",
        "out/key.pem",
        "src/../../../secret/key.pem",
        "cat ../../etc/hosts.conf",
    )
    judged = judge(cite(rules, *spans), roots)
    assert [claim.text for claim in judged.escaping] == [*spans[:4], "../../etc/hosts.conf"]
    assert judged.missing == ()
    assert probes
    assert [path for path in probes if not path.startswith(f"{w}/")] == []


def test_each_entry_is_probed_at_most_once_for_five_thousand_paths(
    rules: PathRules, tmp_path: Path, probes: Probes
) -> None:
    put(tmp_path, *(f"w/src/pkg{number}/m.py" for number in range(50)))
    declared = [tmp_path / "w", tmp_path / "w/datarim", tmp_path / "fw"]
    names = [f"src/pkg{number % 100}/m{'' if number < 100 else number}.py" for number in range(5000)]
    source = "".join(f"- `{name}` and again `{name}:7`\n" for name in names)
    roots = Roots(declared, LINKS)
    probes.clear()
    judged = judge(cite_in(rules, source), roots)
    assert (judged.cited, len(judged.missing)) == (5000, 4950)
    counted = Counter(probes)
    assert max(counted.values()) <= 2  # an lstat, and a readlink where it is a link
    assert len(counted) <= 5000 + 5000 + 100 + len(declared)  # the names, those with their ":7", and the folders


def test_files_with_names_of_any_bytes_trouble_nobody(rules: PathRules, tmp_path: Path) -> None:
    for name in (b"a\nb.py", b"\xff\xfe.py", b"q\"uote's.py", b"tab\t.py"):
        (tmp_path / os.fsdecode(name)).write_bytes(b"")
    judged = judge(
        cite(rules, "a\nb.py", "\udcff\udcfe.py", "q\"uote's.py", "tab\t.py", "b.py"), Roots([tmp_path], LINKS)
    )
    assert {claim.text for claim in judged.missing} <= {"b.py", ".py"}


NAMES = st.text(
    alphabet=st.characters(exclude_characters="/\x00`", exclude_categories=["Cs", "Cc", "Zl", "Zp"]),
    min_size=1,
    max_size=12,
).filter(lambda name: name not in (".", ".."))
PATHS = st.builds(
    lambda folders, stem, end: "/".join([*folders, stem + end]),
    st.lists(NAMES, max_size=2),
    NAMES,
    st.sampled_from([".py", ".md", "", "/Makefile", " b.sh", "x a/c.yaml"]),
)


@given(path=PATHS)
def test_a_cited_path_that_exists_is_never_reported(
    rules: PathRules, tmp_path_factory: pytest.TempPathFactory, path: str
) -> None:
    root = tmp_path_factory.mktemp("w")
    span = path.strip()
    if span.startswith("/") or any(segment in ("", ".", "..") for segment in span.split("/")):
        return
    try:
        put(root, span)
    except OSError:  # the file system takes no such name
        return
    judged = judge(cite(rules, span), Roots([root], LINKS))
    assert (judged.missing, judged.coming, judged.escaping) == ((), (), ())


def test_a_bare_name_resolves_where_another_cited_path_that_exists_ends_in_it(rules: PathRules, tmp_path: Path) -> None:
    put(tmp_path, "src/app/store.py")
    judged = judge(cite(rules, "store.py", "src/app/store.py", "other.py"), Roots([tmp_path], LINKS))
    assert [claim.text for claim in judged.missing] == ["other.py"]
    assert [claim.text for claim in judge(cite(rules, "store.py"), Roots([tmp_path], LINKS)).missing] == ["store.py"]


def test_a_bare_name_of_a_known_document_resolves(rules: PathRules, tmp_path: Path) -> None:
    cited = cite(rules, "PRD-X.md", "PRD-Y.md", "docs/PRD-X.md")
    judged = judge(cited, Roots([tmp_path], LINKS), names=["PRD-X.md"])
    assert [claim.text for claim in judged.missing] == ["PRD-Y.md", "docs/PRD-X.md"]


def test_a_path_that_begins_with_a_dot_may_be_meant_from_the_documents_folder(rules: PathRules, tmp_path: Path) -> None:
    put(tmp_path, "datarim/prd/PRD-X.md")
    cited = cite(rules, "../prd/PRD-X.md", "../prd/PRD-Y.md", "./x.md", "../../../prd/PRD-X.md")
    judged = judge(cited, Roots([tmp_path, tmp_path / "datarim"], LINKS), folder="datarim/plans")
    assert [claim.text for claim in judged.missing] == ["../prd/PRD-Y.md", "./x.md"]
    assert [claim.text for claim in judged.escaping] == ["../../../prd/PRD-X.md"]


def test_one_missing_file_that_is_also_cited_by_its_bare_name_is_one_fault(rules: PathRules, tmp_path: Path) -> None:
    judged = judge(cite(rules, "gone.py", "src/gone.py", "./src/gone.py", "src/gone.py:4"), Roots([tmp_path], LINKS))
    assert [claim.text for claim in judged.missing] == ["src/gone.py"]


def test_of_an_unknown_command_the_path_alone_is_quoted_where_its_folder_exists(
    rules: PathRules, tmp_path: Path
) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "my notes").mkdir()
    judged = judge(cite(rules, "mytool src/gone.py", "my notes/gone.md"), Roots([tmp_path], LINKS))
    assert [claim.text for claim in judged.missing] == ["src/gone.py", "my notes/gone.md"]


# -- nested repositories --------------------------------------------------------------------------------------------


def git(*arguments: str, cwd: Path) -> None:
    subprocess.run(["git", *arguments], cwd=cwd, check=True, capture_output=True)


def test_the_nested_repository_that_holds_every_miss_is_found(rules: PathRules, tmp_path: Path) -> None:
    put(tmp_path, "code/fw/skills/a.md", "code/fw/dev-tools/b.sh", "code/other/skills/a.md")
    for repository in ("code/fw", "code/other"):
        git("init", "-q", cwd=tmp_path / repository)
    judged = judge(cite(rules, "skills/a.md", "dev-tools/b.sh"), Roots([tmp_path], LINKS))
    assert len(judged.missing) == 2
    assert holders(judged.missing, tmp_path, rules)[0] == ("code/fw",)
    judged = judge(cite(rules, "skills/a.md", "dev-tools/gone.sh"), Roots([tmp_path], LINKS))
    assert holders(judged.missing, tmp_path, rules)[0] == ()


def test_a_linked_worktree_is_a_repository_and_a_link_to_one_is_not(rules: PathRules, tmp_path: Path) -> None:
    outside, w = tmp_path / "outside", tmp_path / "w"
    put(tmp_path, "outside/a.md", "w/notes.md")
    git("init", "-q", cwd=outside)
    git("-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "--allow-empty", "-m", "base", cwd=outside)
    git("worktree", "add", "-q", str(w / "code/tree"), cwd=outside)
    assert (w / "code/tree/.git").is_file()
    (w / "linked").symlink_to(outside)
    assert nested_repositories(w, rules.nested).found == ("code/tree",)


def test_the_workspace_itself_and_skipped_folders_are_no_nested_repositories(rules: PathRules, tmp_path: Path) -> None:
    put(tmp_path, ".git/HEAD", "node_modules/x/.git/HEAD", "code/x/.git/HEAD")
    assert nested_repositories(tmp_path, rules.nested).found == ("code/x",)


@pytest.mark.parametrize(
    "bounds",
    [
        NestedRules(depth=1, directories=100, entries=100, repositories=5, skip=frozenset()),
        NestedRules(depth=9, directories=2, entries=100, repositories=5, skip=frozenset()),
        NestedRules(depth=9, directories=100, entries=2, repositories=5, skip=frozenset()),
        NestedRules(depth=9, directories=100, entries=100, repositories=0, skip=frozenset()),
    ],
)
def test_the_search_keeps_to_its_bounds(tmp_path: Path, bounds: NestedRules) -> None:
    put(tmp_path, "a/b/repo/.git/HEAD", "a/c/x.md", "d/x.md")
    assert nested_repositories(tmp_path, bounds).found == ()


def test_a_search_that_ended_at_a_bound_says_so(tmp_path: Path) -> None:
    put(tmp_path, "a/b/x.md", "c/x.md")
    wide = NestedRules(depth=9, directories=100, entries=100, repositories=5, skip=frozenset())
    assert nested_repositories(tmp_path, wide).complete
    assert not nested_repositories(tmp_path, NestedRules(9, 2, 100, 5, frozenset())).complete
    assert not nested_repositories(tmp_path, NestedRules(9, 100, 2, 5, frozenset())).complete
