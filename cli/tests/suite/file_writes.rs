//! `write_file` and `edit_file`: what they change, and when they change nothing.

use lockgate::{ToolResultView, json};
use lockgate_cli::file_tools::Access;

use crate::support::{Place, run};

#[test]
fn writes_make_and_replace() {
    let place = Place::new(Access::ReadWrite);
    let output = place.ok("write_file", json!({ "path": "a/b/c.txt", "content": "é" }));
    assert_eq!(output, json!({ "size": 2, "created": true }));
    assert_eq!(place.text("a/b/c.txt"), "é");
    let output = place.ok("write_file", json!({ "path": "a/b/c.txt", "content": "" }));
    assert_eq!(output, json!({ "size": 0, "created": false }));
    let (kind, _) = place.fails(
        "write_file",
        json!({ "path": "a/b/c.txt", "content": "x", "overwrite": false }),
    );
    assert_eq!(kind, "ExistsError");
    assert_eq!(place.text("a/b/c.txt"), "");
    for path in ["a", ".", "", "a/b/c.txt/d"] {
        let (kind, message) = place.fails("write_file", json!({ "path": path, "content": "x" }));
        assert!(
            ["NotAFileError", "PathError", "NotFoundError"].contains(&&*kind),
            "{path}: {kind} {message}"
        );
    }
    // Nothing temporary is left.
    let left = place.ok("list_files", json!({ "recursive": true, "hidden": true }));
    assert_eq!(left.get("entries").unwrap().as_array().unwrap().len(), 3);
}

#[cfg(unix)]
#[test]
fn permissions_survive_a_write() {
    use std::{fs, os::unix::fs::PermissionsExt};

    let place = Place::new(Access::ReadWrite);
    place.put("run.sh", "old");
    let path = place.outer().join("root/run.sh");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    place.ok(
        "edit_file",
        json!({ "path": "run.sh", "old_text": "old", "new_text": "new" }),
    );
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o755
    );
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    assert_eq!(
        place
            .fails("write_file", json!({ "path": "run.sh", "content": "x" }))
            .0,
        "PermissionError"
    );
    assert_eq!(place.text("run.sh"), "new");
}

#[test]
fn edits_replace_exactly_what_is_named() {
    let place = Place::new(Access::ReadWrite);
    place.put("f", "one\ntwo\none\n");
    let output = place.ok(
        "edit_file",
        json!({ "path": "f", "old_text": "two", "new_text": "2" }),
    );
    assert_eq!(output, json!({ "replacements": 1, "size": 10 }));
    let (kind, message) = place.fails(
        "edit_file",
        json!({ "path": "f", "old_text": "one", "new_text": "1" }),
    );
    assert_eq!(kind, "EditError");
    assert!(
        message.contains("2 times (lines 1, 3)") && message.contains("replace_all"),
        "{message}"
    );
    assert_eq!(place.text("f"), "one\n2\none\n");
    let output = place.ok(
        "edit_file",
        json!({ "path": "f", "old_text": "one", "new_text": "1", "replace_all": true }),
    );
    assert_eq!(output.get("replacements"), Some(&json!(2)));
    assert_eq!(place.text("f"), "1\n2\n1\n");
}

#[test]
fn edits_that_do_not_fit_say_why() {
    let place = Place::new(Access::ReadWrite);
    place.put("f", "  indented\r\nnext\r\n");
    let fails = |old: &str, new: &str, hint: &str| {
        let (kind, message) = place.fails(
            "edit_file",
            json!({ "path": "f", "old_text": old, "new_text": new }),
        );
        assert_eq!(kind, "EditError");
        assert!(message.contains(hint), "{message}");
    };
    fails("indented\nnext", "x", "\\r\\n");
    fails("\tindented x", "x", "read the file");
    fails("\tindented\nx", "x", "line 1 is alike");
    fails("", "x", "write_file");
    fails("next", "next", "the same");
    place.put("f", b"caf\xe9");
    assert_eq!(
        place
            .fails(
                "edit_file",
                json!({ "path": "f", "old_text": "caf", "new_text": "x" })
            )
            .0,
        "BinaryFileError"
    );
    assert_eq!(
        place
            .fails(
                "edit_file",
                json!({ "path": "g", "old_text": "a", "new_text": "b" })
            )
            .0,
        "NotFoundError"
    );
}

#[test]
fn large_files_are_not_edited() {
    let place = Place::new(Access::ReadWrite);
    place.put("large", "a");
    let path = place.outer().join("root/large");
    let edit = json!({ "path": "large", "old_text": "a", "new_text": "b" });
    std::fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len((64 << 20) + 1)
        .unwrap();
    let (kind, message) = place.fails("edit_file", edit.clone());
    assert_eq!(kind, "EditError");
    assert!(message.contains("larger than 67108864 bytes"), "{message}");
    std::fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(64 << 20)
        .unwrap();
    assert_eq!(
        place.ok("edit_file", edit).get("replacements"),
        Some(&json!(1))
    );
    // Nor may an edit make one.
    place.put("grows", "a".repeat(1 << 20));
    let edit = json!({
        "path": "grows", "old_text": "a", "new_text": "b".repeat(1 << 20), "replace_all": true
    });
    let (_, message) = place.fails("edit_file", edit);
    assert!(message.contains("would become larger"), "{message}");
    assert_eq!(place.text("grows").len(), 1 << 20);
}

// SPEC L1
#[test]
fn edits_are_shown_as_diffs() {
    let place = Place::new(Access::ReadWrite);
    place.put("f", "a");
    let arguments = json!({ "path": "f", "old_text": "a", "new_text": "b" });
    let result = run(place.call("edit_file", arguments.clone()));
    let tool = place.registry().get("edit_file").unwrap();
    let ToolResultView::Diff { files } = tool.present_result(&arguments, &result) else {
        panic!()
    };
    assert_eq!((files[0].old.as_deref(), &*files[0].new), (Some("a"), "b"));
}
