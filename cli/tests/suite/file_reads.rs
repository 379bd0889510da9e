//! `list_files`, `read_file`, `search_files`, `stat_file`: what they return, and where they stop.

use lockgate::{ErrorCode, Json, ToolResultView, json};

use crate::support::{Place, column, run};

fn listed(place: &Place, arguments: Json) -> Vec<String> {
    let output = place.ok("list_files", arguments);
    column(output.get("entries").expect("entries"), "path")
        .into_iter()
        .map(str::to_owned)
        .collect()
}

#[test]
fn lists_in_the_order_of_paths() {
    let place = Place::with(&[
        ("b.rs", "12345"),
        ("a/c.rs", ""),
        ("a/b/d.txt", ""),
        (".git/x.rs", ""),
        ("a.rs", ""),
    ]);
    assert_eq!(listed(&place, json!({})), ["a", "a.rs", "b.rs"]);
    assert_eq!(
        listed(&place, json!({ "recursive": true })),
        ["a", "a/b", "a/b/d.txt", "a/c.rs", "a.rs", "b.rs"]
    );
    assert_eq!(listed(&place, json!({ "path": "a" })), ["a/b", "a/c.rs"]);
    assert_eq!(
        listed(&place, json!({ "path": "./a/", "recursive": true })),
        ["a/b", "a/b/d.txt", "a/c.rs"]
    );
    assert_eq!(
        listed(&place, json!({ "hidden": true })),
        [".git", "a", "a.rs", "b.rs"]
    );
    let output = place.ok("list_files", json!({ "glob": "b.rs" }));
    assert_eq!(
        output,
        json!({ "entries": [{ "path": "b.rs", "kind": "file", "size": 5 }], "truncated": false })
    );
}

#[test]
fn globs_without_a_slash_are_about_names() {
    let place = Place::with(&[
        ("b.rs", ""),
        ("a/c.rs", ""),
        ("a/b/d.ts", ""),
        ("a/b/e.tsx", ""),
    ]);
    assert_eq!(
        listed(&place, json!({ "glob": "*.rs" })),
        ["a/c.rs", "b.rs"]
    );
    assert_eq!(
        listed(&place, json!({ "glob": "*.rs", "recursive": false })),
        ["b.rs"]
    );
    assert_eq!(listed(&place, json!({ "glob": "a/*.rs" })), ["a/c.rs"]);
    assert_eq!(
        listed(&place, json!({ "glob": "**/*.{ts,tsx}" })),
        ["a/b/d.ts", "a/b/e.tsx"]
    );
    assert_eq!(
        listed(&place, json!({ "glob": "b/*", "path": "a" })),
        ["a/b/d.ts", "a/b/e.tsx"]
    );
    let (kind, message) = place.fails("list_files", json!({ "glob": "a[" }));
    assert_eq!(kind, "GlobError", "{message}");
    assert_eq!(
        place
            .fails("list_files", json!({ "glob": "{".repeat(2000) }))
            .0,
        "GlobError"
    );
}

#[test]
fn a_list_says_when_it_is_cut() {
    let place = Place::with(&[("a", ""), ("b", ""), ("c", "")]);
    let output = place.ok("list_files", json!({ "limit": 2 }));
    assert_eq!(column(output.get("entries").unwrap(), "path"), ["a", "b"]);
    assert_eq!(output.get("truncated"), Some(&json!(true)));
    assert_eq!(
        place
            .ok("list_files", json!({ "limit": 3 }))
            .get("truncated"),
        Some(&json!(false))
    );
    let (kind, message) = place.fails("list_files", json!({ "path": "none" }));
    assert_eq!(kind, "NotFoundError", "{message}");
    assert_eq!(
        place.fails("list_files", json!({ "path": "a" })).0,
        "PathError"
    );
}

#[test]
fn no_limit_of_the_caller_lifts_the_caps() {
    let place = Place::with(&[]);
    for index in 0..20_001 {
        std::fs::write(place.outer().join("root").join(format!("{index:05}")), "").unwrap();
    }
    let output = place.ok("list_files", json!({ "limit": 1_000_000 }));
    assert_eq!(
        output.get("entries").unwrap().as_array().unwrap().len(),
        20_000
    );
    assert_eq!(output.get("truncated"), Some(&json!(true)));

    let place = Place::with(&[]);
    place.put("many", "x\n".repeat(10_001));
    let output = place.ok(
        "search_files",
        json!({ "pattern": "x", "limit": 1_000_000 }),
    );
    assert_eq!(
        output.get("matches").unwrap().as_array().unwrap().len(),
        10_000
    );
    assert_eq!(output.get("truncated"), Some(&json!(true)));
    assert_eq!(
        place
            .fails("search_files", json!({ "pattern": "x".repeat(10_001) }))
            .0,
        "PatternError"
    );
}

#[test]
fn reads_lines_and_says_where_to_go_on() {
    let place = Place::with(&[("f", "one\r\ntwo\nthree"), ("empty", "")]);
    let read = |arguments| {
        let output = place.ok("read_file", arguments);
        let get = |key: &str| output.get(key).unwrap().clone();
        (
            get("content").as_str().unwrap().to_owned(),
            get("lines").as_u64().unwrap(),
            get("next_offset").as_u64(),
        )
    };
    assert_eq!(
        read(json!({ "path": "f" })),
        ("one\r\ntwo\nthree".to_owned(), 3, None)
    );
    assert_eq!(
        read(json!({ "path": "f", "limit": 1 })),
        ("one\r\n".to_owned(), 1, Some(2))
    );
    assert_eq!(
        read(json!({ "path": "f", "offset": 2, "limit": 1 })),
        ("two\n".to_owned(), 1, Some(3))
    );
    assert_eq!(
        read(json!({ "path": "f", "offset": 3, "limit": 5 })),
        ("three".to_owned(), 1, None)
    );
    assert_eq!(
        read(json!({ "path": "f", "offset": 9 })),
        (String::new(), 0, None)
    );
    assert_eq!(
        read(json!({ "path": "f", "limit": 0 })),
        (String::new(), 0, Some(1))
    );
    assert_eq!(read(json!({ "path": "empty" })), (String::new(), 0, None));
    assert_eq!(
        place
            .fails("read_file", json!({ "path": "f", "offset": 0 }))
            .0,
        "RangeError"
    );
}

#[test]
fn long_files_and_long_lines_are_bounded() {
    let place = Place::with(&[]);
    let max = 4 << 20;
    place.put("lines", "0123456\n".repeat(max / 8 + 10));
    let output = place.ok("read_file", json!({ "path": "lines" }));
    assert_eq!(output.get("content").unwrap().as_str().unwrap().len(), max);
    assert_eq!(output.get("next_offset"), Some(&json!(max / 8 + 1)));
    assert_eq!(output.get("cut"), Some(&json!(false)));
    let rest = place.ok(
        "read_file",
        json!({ "path": "lines", "offset": max / 8 + 1 }),
    );
    assert_eq!(rest.get("lines"), Some(&json!(10)));

    // One short line, then one that fits nowhere; a character stands across the cut.
    place.put("long", format!("first\nx{}\nlast\n", "é".repeat(max)));
    let output = place.ok("read_file", json!({ "path": "long" }));
    assert_eq!(
        (output.get("lines"), output.get("next_offset")),
        (Some(&json!(1)), Some(&json!(2)))
    );
    let output = place.ok("read_file", json!({ "path": "long", "offset": 2 }));
    assert_eq!(
        output.get("content").unwrap().as_str().unwrap().len(),
        max - 1
    );
    assert_eq!(
        (output.get("cut"), output.get("lossy")),
        (Some(&json!(true)), Some(&json!(false)))
    );
    assert_eq!(output.get("next_offset"), Some(&json!(3)));
    assert_eq!(
        place
            .ok("read_file", json!({ "path": "long", "offset": 3 }))
            .get("content"),
        Some(&json!("last\n"))
    );
}

#[test]
fn files_that_are_no_text() {
    let place = Place::with(&[]);
    place.put("binary", b"ELF\0\x01");
    place.put("latin1", b"caf\xe9\n");
    assert_eq!(
        place.fails("read_file", json!({ "path": "binary" })).0,
        "BinaryFileError"
    );
    let output = place.ok("read_file", json!({ "path": "latin1" }));
    assert_eq!(
        (output.get("content"), output.get("lossy")),
        (Some(&json!("caf\u{fffd}\n")), Some(&json!(true)))
    );
    assert_eq!(
        place.fails("read_file", json!({ "path": "." })).0,
        "NotAFileError"
    );
    let (kind, message) = place.fails("read_file", json!({ "path": "none" }));
    assert_eq!(kind, "NotFoundError");
    assert!(
        message.contains("`none`") && message.contains("list_files"),
        "{message}"
    );
    let output = place.ok("search_files", json!({ "pattern": "." }));
    assert_eq!(
        (output.get("files_searched"), output.get("files_skipped")),
        (Some(&json!(1)), Some(&json!(1)))
    );
}

#[test]
fn searches_line_by_line() {
    let place = Place::with(&[
        ("a.rs", "let x;\r\nfoo😀TODO: a\nTODO"),
        ("b/c.md", "todo\n"),
        (".h/x.rs", "TODO"),
    ]);
    let output = place.ok("search_files", json!({ "pattern": "TODO" }));
    assert_eq!(
        output,
        json!({
            "matches": [
                { "path": "a.rs", "line": 2, "column": 6, "text": "foo😀TODO: a" },
                { "path": "a.rs", "line": 3, "column": 1, "text": "TODO" },
            ],
            "files_searched": 2, "files_skipped": 0, "truncated": false,
        })
    );
    let count = |arguments| {
        let output = place.ok("search_files", arguments);
        (
            output.get("matches").unwrap().as_array().unwrap().len(),
            output.get("truncated").unwrap().as_bool().unwrap(),
        )
    };
    assert_eq!(
        count(json!({ "pattern": "todo", "case_sensitive": false })),
        (3, false)
    );
    assert_eq!(
        count(json!({ "pattern": "TODO", "hidden": true })),
        (3, false)
    );
    assert_eq!(
        count(json!({ "pattern": "todo", "case_sensitive": false, "limit": 2 })),
        (2, true)
    );
    assert_eq!(
        count(json!({ "pattern": "todo", "case_sensitive": false, "limit": 3 })),
        (3, false)
    );
    assert_eq!(
        count(json!({ "pattern": "TODO", "glob": "*.md" })),
        (0, false)
    );
    assert_eq!(
        count(json!({ "pattern": "TODO", "path": "a.rs" })),
        (2, false)
    );
    assert_eq!(count(json!({ "pattern": "^let x;$" })), (1, false));
    let (kind, message) = place.fails("search_files", json!({ "pattern": "(" }));
    assert_eq!(kind, "PatternError");
    assert!(message.contains("escape"), "{message}");
    assert_eq!(
        place
            .fails("search_files", json!({ "pattern": "(a{1000}){1000}" }))
            .0,
        "PatternError"
    );
    assert_eq!(
        place
            .fails("search_files", json!({ "pattern": "x", "path": "none" }))
            .0,
        "NotFoundError"
    );
}

#[test]
fn matches_in_long_lines_are_shown_in_part() {
    let place = Place::with(&[]);
    place.put(
        "long",
        format!("{}needle{}\n", "é".repeat(1000), "y".repeat(1000)),
    );
    let output = place.ok("search_files", json!({ "pattern": "needle" }));
    let found = output.get("matches").unwrap().get_index(0).unwrap();
    let text = found.get("text").unwrap().as_str().unwrap();
    assert!(
        text.starts_with("…é") && text.ends_with("y…") && text.contains("needle"),
        "{text}"
    );
    assert!(!text.contains('\u{fffd}') && text.len() < 520);
    assert_eq!(found.get("column"), Some(&json!(1001)));
    // Past the first MiB of a line nothing is searched, and the output says so.
    place.put("long", format!("{}needle\nneedle\n", "x".repeat(1 << 20)));
    let output = place.ok("search_files", json!({ "pattern": "needle" }));
    assert_eq!(
        output
            .get("matches")
            .unwrap()
            .get_index(0)
            .unwrap()
            .get("line"),
        Some(&json!(2))
    );
    assert_eq!(output.get("truncated"), Some(&json!(true)));
}

#[test]
fn stat_tells_what_is_there() {
    let place = Place::with(&[("d/f", "12")]);
    let output = place.ok("stat_file", json!({ "path": "d/f" }));
    assert_eq!(
        (output.get("kind"), output.get("size")),
        (Some(&json!("file")), Some(&json!(2)))
    );
    assert!(output.get("modified_ms").unwrap().as_i64().unwrap() > 1_500_000_000_000);
    assert_eq!(
        place.ok("stat_file", json!({ "path": "d" })).get("kind"),
        Some(&json!("directory"))
    );
    for path in ["none", "d/none", "d/f/none"] {
        let output = place.ok("stat_file", json!({ "path": path }));
        assert_eq!(
            (output.get("exists"), output.get("kind")),
            (Some(&json!(false)), Some(&Json::Null))
        );
    }
}

#[test]
fn unknown_arguments_are_refused() {
    let place = Place::with(&[]);
    let result = run(place.call("read_file", json!({ "path": "f", "ofset": 1 })));
    assert_eq!(result.error().unwrap().code(), Some(ErrorCode::InvalidArgs));
}

// SPEC L1
#[test]
fn results_have_views() {
    let place = Place::with(&[("f", "a\nb\n")]);
    let arguments = json!({ "path": "f", "offset": 2 });
    let result = run(place.call("read_file", arguments.clone()));
    let tool = place.registry().get("read_file").unwrap();
    let ToolResultView::Read {
        path,
        lines,
        truncated,
    } = tool.present_result(&arguments, &result)
    else {
        panic!()
    };
    assert_eq!(
        (&*path, lines[0].number, &*lines[0].text, truncated),
        ("f", 2, "b", false)
    );
    let arguments = json!({ "pattern": "b" });
    let result = run(place.call("search_files", arguments.clone()));
    let tool = place.registry().get("search_files").unwrap();
    let ToolResultView::Search { matches, .. } = tool.present_result(&arguments, &result) else {
        panic!()
    };
    assert_eq!(
        (&*matches[0].location.path, matches[0].location.line),
        ("f", Some(2))
    );
    assert_eq!(result.text(), "f:2: b");
}
