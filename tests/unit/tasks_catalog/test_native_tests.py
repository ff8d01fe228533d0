"""The names of native tests are read from their sources as runners will report them."""

import pytest

from models.identifiers import is_slug
from tasks_catalog.importers.check_ids import LONGEST, check_ids, slug_of
from tasks_catalog.importers.go_tests import go_tests
from tasks_catalog.importers.import_report import NotImportable
from tasks_catalog.importers.javascript_tests import javascript_tests
from tasks_catalog.importers.native_test import FoundTest
from tasks_catalog.importers.python_tests import python_tests
from tasks_catalog.importers.rust_tests import rust_tests


def names(tests: list[FoundTest]) -> list[str]:
    return [test.name for test in tests]


def test_python_tests_are_methods_of_test_cases_and_what_they_inherit() -> None:
    text = """
import unittest
from unittest import TestCase

class Shared(TestCase):
    def test_shared(self): ...
    def helper(self): ...

class More(Shared):
    def test_more(self): ...
    def test_shared(self): ...

class Plain:
    def test_nothing(self): ...

class Last(unittest.TestCase):
    def testCamel(self): ...
"""
    assert names(python_tests(text)) == [
        "Shared.test_shared",
        "More.test_shared",
        "More.test_more",
        "Last.testCamel",
    ]


def test_python_that_is_none_is_refused_with_its_line() -> None:
    with pytest.raises(NotImportable, match="line 2"):
        python_tests("x = 1\nclass\n")


def test_go_tests_are_functions_at_the_top() -> None:
    text = """package a
// func TestComment(t *testing.T) {}
var text = `
func TestText(t *testing.T) {}
`
func TestOne(t *testing.T) { t.Run("a part", nil) }
func Test_two(tt *testing.T) {}
func Testament(t *testing.T) {}
func TestMain(m *testing.M) {}
func BenchmarkOne(b *testing.B) {}
func helper(t *testing.T) {}
"""
    assert names(go_tests(text)) == ["TestOne", "Test_two"]


@pytest.mark.parametrize(
    ("constraint", "is_built"),
    [("linux", True), ("!windows", True), ("bonus", False), ("step2 || (!step1 && !step3)", True)],
)
def test_go_files_that_a_constraint_leaves_out_have_no_tests(
    constraint: str, is_built: bool
) -> None:
    text = f"//go:build {constraint}\n\npackage a\n\nfunc TestOne(t *testing.T) {{}}\n"
    assert bool(go_tests(text)) is is_built


def test_rust_tests_carry_the_names_of_their_modules() -> None:
    text = """
// #[test] fn comment() {}
use a::*;

#[test]
#[ignore]
fn one() { let text = "#[test] fn text() {"; let brace = '{'; let life: &'static str = "}"; }

#[cfg(feature = "more")]
#[test]
fn switched_off() {}

mod group {
    use super::*;
    fn helper() -> Vec<u8> { vec![] }

    #[test]
    #[should_panic(expected = "no")]
    fn two() {}

    mod inner {
        #[test]
        fn three() -> Result<(), String> { Ok(()) }
    }
}

#[cfg(feature = "more")]
mod off {
    #[test]
    fn four() {}
}

#[test]
fn last() {}
"""
    assert names(rust_tests(text)) == ["one", "group::two", "group::inner::three", "last"]


def test_rust_tests_that_a_macro_makes_are_refused() -> None:
    with pytest.raises(NotImportable, match="macro"):
        rust_tests("macro_rules! each {\n ($n:ident) => { #[test] fn $n() {} };\n}\neach!(a);\n")
    helper = "macro_rules! map {\n ($n:ident) => { vec![$n] };\n}\n#[test] fn a() {}\n"
    assert names(rust_tests(helper)) == ["a"]


SPEC = """
import { add } from './add';
// test('comment', () => {});
describe('Adder', () => {
  const pattern = /describe\\('no', \\(/;
  test('small', () => { expect(pattern.test('test(')).toBe(true); });
  describe("it's nested", () => {
    xtest('small', () => {});
    it(`a template`, async () => {});
    xit('small', () => {});
  });
  test.skip('left out', () => {});
  describe.skip('all of it', () => { test('too', () => {}); });
});
test('na\\u00efve \\'quotes\\'', () => {});
"""


def test_specs_are_named_by_their_groups_and_numbered_where_they_are_alike() -> None:
    assert names(javascript_tests(SPEC)) == [
        "Adder > small",
        "Adder > it's nested > small",
        "Adder > it's nested > a template",
        "Adder > it's nested > small #2",
        "naïve 'quotes'",
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("test(title, () => {});", "worked out"),
        ("test(`no ${1}`, () => {});", "worked out"),
        ("test('a' + 'b', () => {});", "worked out"),
        ("test.each([1])('a %d', () => {});", "test.each"),
        ("test('a', () => { expect(a).toMatchSnapshot(); });", "toMatchSnapshot"),
        ("test('a', () => { jest.fn(); });", "jest.fn"),
        ("test('a', () => { expect(a).toEqual(expect.any(Number)); });", "expect.any"),
    ],
)
def test_specs_that_the_runner_could_not_run_are_refused(text: str, reason: str) -> None:
    with pytest.raises(NotImportable, match=reason):
        javascript_tests(text)


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("TestHTTPServer2Go", "test-http-server2-go"),
        ("a -- b", "a-b"),
        ("ß∂ƒ", "x"),
        ("-1 + 1", "1-1"),
        ("word " * 30, ("word-" * 30)[:LONGEST].strip("-")),
    ],
)
def test_slugs_are_ids(text: str, slug: str) -> None:
    assert slug_of(text) == slug
    assert is_slug(slug)


def test_ids_leave_out_what_all_share_and_never_clash() -> None:
    paths = [("All", "one"), ("All", "one"), ("All", "Group", "one"), ("All", "suite runs")]
    assert check_ids(paths, ["suite-runs"]) == ["one", "one-2", "group-one", "suite-runs-2"]
    assert check_ids([("All", "one")], []) == ["one"]
    assert check_ids([], []) == []
