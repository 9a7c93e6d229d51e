"""Anchors, ids and routes are those of Docusaurus."""

import pytest

from rag.ingest.slugs import (
    Slugger,
    doc_id,
    is_index,
    route,
    slug,
    split_heading_id,
    split_number_prefix,
    strip_path_prefixes,
)


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("What is ROS 2?", "what-is-ros-2"),
        ("Reliability: reliable or best effort", "reliability-reliable-or-best-effort"),
        ("C++ & Python", "c--python"),
        ("snake_case stays", "snake_case-stays"),
        ("Half-open", "half-open"),
        ("A – B", "a--b"),
        ("  two  spaces", "--two--spaces"),
        ("Über Kinematik", "über-kinematik"),
        ("什么是 ROS", "什么是-ros"),
        ("Привет мир", "привет-мир"),
        ("हिन्दी", "हिन्दी"),
        ("🚀 Launch", "-launch"),
        ("Launch 🚀", "launch-"),
        ("I ❤\ufe0f robots", "i-\ufe0f-robots"),
        ("x² and ½", "x-and-"),
        ("Ⓐ stays", "ⓐ-stays"),
        ("tab\there", "tabhere"),
        ("no\u00a0break", "nobreak"),
        ("zero\u200bwidth", "zerowidth"),
        ("%Sébastien_-_$)( ## -56756", "sébastien_-_---56756"),
    ],
)
def test_slug_is_that_of_github_slugger(heading: str, anchor: str) -> None:
    assert slug(heading) == anchor


def test_duplicates_are_counted_as_github_slugger_counts_them() -> None:
    slugger = Slugger()
    made = [slugger.slug(text) for text in ("Foo", "foo", "Foo 1", "FOO", "foo-1")]
    assert made == ["foo", "foo-1", "foo-1-1", "foo-2", "foo-1-2"]


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("Setup {#install}", ("Setup", "install")),
        ("Setup {/* #install */}", ("Setup", "install")),
        ("Setup <!-- #install -->", ("Setup", "install")),
        (r"Setup \{#install}", ("Setup", "install")),
        ("Aufbau {#über}", ("Aufbau", "über")),
        ("Setup {#a} more", ("Setup {#a} more", None)),
        ("Setup {/* a note */}", ("Setup {/* a note */}", None)),
        ("Setup", ("Setup", None)),
    ],
)
def test_explicit_ids_are_split_off(heading: str, expected: tuple[str, str | None]) -> None:
    assert split_heading_id(heading) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("01-foo", ("foo", 1)),
        ("003 - My Doc", ("My Doc", 3)),
        ("1_foo", ("foo", 1)),
        ("5.foo", ("foo", 5)),
        ("2021-11-foo", ("2021-11-foo", None)),
        ("2021-01-31 - Doc", ("2021-01-31 - Doc", None)),
        ("7.0-foo", ("7.0-foo", None)),
        ("foo", ("foo", None)),
        ("a1-foo", ("a1-foo", None)),
        ("42", ("42", None)),
        ("01-", ("01-", None)),
    ],
)
def test_number_prefixes(name: str, expected: tuple[str, int | None]) -> None:
    assert split_number_prefix(name) == expected


def test_every_folder_loses_its_prefix() -> None:
    assert strip_path_prefixes("01-a/7.0-b/2_c") == "a/7.0-b/c"


@pytest.mark.parametrize(
    ("folder", "name", "expected"),
    [
        ("a", "index", True),
        ("a", "README", True),
        ("guides/Intro", "intro", True),
        ("01-a", "01-a", True),
        ("a", "b", False),
        ("", "index", True),
        ("", "intro", False),
    ],
)
def test_which_files_stand_for_their_folder(folder: str, name: str, expected: bool) -> None:
    assert is_index(folder, name) is expected


def test_doc_ids() -> None:
    assert doc_id("module-1-ros2", "01-what-is-ros-2") == "module-1-ros2/what-is-ros-2"
    assert doc_id("01-a/02-b", "03-c") == "a/b/c"
    assert doc_id("", "intro") == "intro"
    assert doc_id("01-a", "03-c", "given") == "a/given"
    assert doc_id("01-a", "03-c", prefixes=False) == "01-a/03-c"


@pytest.mark.parametrize(
    ("folder", "name", "options", "expected"),
    [
        ("", "intro", {}, "/intro"),
        ("01-a", "02-b", {}, "/a/b"),
        ("01-a", "02-b", {"prefixes": False}, "/01-a/02-b"),
        ("01-a", "02-b", {"front_id": "given"}, "/a/given"),
        ("01-a", "02-b", {"front_id": "given", "slug": "nice"}, "/a/nice"),
        ("a/b", "c", {"slug": "../up"}, "/a/up"),
        ("a", "c", {"slug": "./here"}, "/a/here"),
        ("a", "c", {"slug": "/top/level"}, "/top/level"),
        ("", "intro", {"slug": "/"}, "/"),
        ("a", "c", {"slug": "dir/"}, "/a/dir/"),
        ("01-a", "index", {}, "/a/"),
        ("a", "README", {}, "/a/"),
        ("x/a", "a", {}, "/x/a/"),
        ("", "index", {}, "/"),
        ("a", "index", {"slug": "start"}, "/a/start"),
        ("módulo", "qué", {}, "/módulo/qué"),
    ],
)
def test_routes(folder: str, name: str, options: dict[str, object], expected: str) -> None:
    assert route(folder, name, **options) == expected  # type: ignore[arg-type]
