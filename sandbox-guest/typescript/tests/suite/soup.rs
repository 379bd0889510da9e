//! Random programs: nothing panics, and what is blanked means what the transform makes of it, place by place. The same
//! ones each time, as the parser lets some nonsense pass that has no meaning to compare.

use crate::support::{assert_places_kept, assert_same_meaning, strip};
use proptest::{prelude::*, test_runner::RngSeed};

/// Pieces that meet in ways nobody would write.
const PIECES: &[&str] = &[
    "a",
    "b",
    "x",
    "get",
    "set",
    "static",
    "async",
    "in",
    "let q",
    "type",
    "as",
    "of",
    "declare",
    "abstract",
    "readonly",
    "private",
    "public",
    "class A",
    "class",
    "function f",
    "function",
    "enum E",
    "namespace N",
    "interface I",
    "extends",
    "implements",
    "return",
    "throw",
    "yield",
    "await",
    "if (a) b; else c",
    "for (const x of y)",
    "new",
    "typeof",
    "this",
    "super",
    "as T",
    "as any",
    "satisfies T",
    "!",
    "?",
    ":",
    ": T",
    ": void",
    ": T[]",
    "<T>",
    "<any>",
    "<T,>",
    "=>",
    "=",
    "+",
    "-",
    "*",
    "**",
    "/",
    "?.",
    ".",
    ",",
    ";",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "(a)",
    "(a: T)",
    "(a?: T)",
    "(this: T, b)",
    "[a]",
    "{ a: 1 }",
    "{}",
    "`t`",
    "`${",
    "'s'",
    "1",
    "/r/",
    "// c\n",
    "/* c\n */",
    "#p",
    "@d",
    "😀",
    "'é😀'",
    ": 'é😀'",
    "\u{2028}",
    "x = () =>",
    "type T = 1",
    "constructor",
    "a!",
];

/// Whole statements, with the line break or the `;` that ends them left to chance.
const STATEMENTS: &[&str] = &[
    "x = a as T",
    "x = a satisfies T",
    "x = a!",
    "let y: T",
    "let z: T = a",
    "(b)",
    "[b]",
    "`t`",
    "-b",
    "/r/g.test(b)",
    "<T>b",
    "<T>(b)",
    "type T = 1",
    "interface I { a: 1 }",
    "declare let d: T",
    "f<T>(b)",
    "const g = (a: T): T => a",
    "++b",
    "const h = <T,>(a: T): a is\nT => a as T",
    "class A<T> { x = a as T\nget: T\nprivate [y] = 1\n*z() {} }",
    "function k(this: T, a?: U): void {}",
    "if (a) b as T",
    "x = () => a as T",
    "enum E { A }",
    "x = <T>{ a: 1 }",
    "import type { X } from 'y'",
    "export type Y = 1",
    "a = b\n** c as T",
];

fn check(program: &str) {
    let Ok(stripped) = strip(program) else {
        return;
    };
    if stripped.mappings.is_empty() {
        assert_places_kept(program, &stripped.source);
        assert_same_meaning(program, &stripped.source);
        return;
    }
    assert!(
        stripped
            .mappings
            .is_sorted_by_key(|mapping| mapping.generated),
        "{program}"
    );
    for mapping in &stripped.mappings {
        for (text, place) in [
            (program, mapping.original),
            (&*stripped.source, mapping.generated),
        ] {
            let line = text
                .split(['\n', '\u{2028}'])
                .nth(place.line as usize - 1)
                .unwrap_or_else(|| panic!("{program}: no line {place:?}"));
            assert!(
                place.column as usize <= line.encode_utf16().count() + 1,
                "{program}: {place:?}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5000, failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

    #[test]
    fn pieces(parts in prop::collection::vec((prop::sample::select(PIECES), prop::sample::select(&[" ", "\n", ""])), 1..12)) {
        check(&parts.into_iter().flat_map(|(piece, gap)| [piece, gap]).collect::<String>());
    }

    #[test]
    fn statements(parts in prop::collection::vec((prop::sample::select(STATEMENTS), prop::sample::select(&["\n", ";", " // c\n", "/* c\n */"])), 1..6)) {
        check(&parts.into_iter().flat_map(|(piece, gap)| [piece, gap]).collect::<String>());
    }

    #[test]
    fn any_text(text in "\\PC{0,60}") {
        check(&text);
    }
}

// Line breaks in odd places, over a program that has most of the syntax.
#[test]
fn a_program_with_its_line_breaks_changed() {
    let program = include_str!("../../src/warm_up.ts");
    let changes: &[(&str, &str)] = &[
        (";\n", "\n"),
        (": ", ":\n "),
        ("<", "<\n"),
        (" as ", " as\n"),
        ("\n", "\r\n"),
        ("string", "'Größe😀'"),
        (", ", "\n,\n"),
    ];
    for first in changes {
        for second in changes {
            let changed = program
                .replace(first.0, first.1)
                .replace(second.0, second.1);
            let stripped = strip(&changed);
            assert!(stripped.is_ok(), "{first:?} {second:?}: {stripped:?}");
            check(&changed);
        }
    }
}
