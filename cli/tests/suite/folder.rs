//! Nothing outside the folder can be reached, by any tool, by any path.

use std::fs;

use lockgate::{Json, json};
use lockgate_cli::file_tools::{Access, Folder, file_tools};

use crate::support::Place;

/// Every tool with `path` as its argument.
fn calls(path: &str) -> Vec<(&'static str, Json)> {
    vec![
        ("list_files", json!({ "path": path })),
        ("read_file", json!({ "path": path })),
        ("search_files", json!({ "pattern": "secret", "path": path })),
        ("stat_file", json!({ "path": path })),
        ("write_file", json!({ "path": path, "content": "mine" })),
        (
            "edit_file",
            json!({ "path": path, "old_text": "secret", "new_text": "mine" }),
        ),
    ]
}

#[test]
fn paths_that_lead_out_are_refused() {
    let place = Place::new(Access::ReadWrite);
    fs::write(place.outer().join("secret.txt"), "secret").unwrap();
    place.put("sub/inside.txt", "x");
    let absolute = place.outer().join("secret.txt");
    for path in [
        "../secret.txt",
        "sub/../../secret.txt",
        "./../secret.txt",
        absolute.to_str().unwrap(),
        "/etc/passwd",
        "/",
        "..",
    ] {
        for (tool, arguments) in calls(path) {
            let (kind, message) = place.fails(tool, arguments);
            assert_eq!(kind, "PathError", "{tool} {path}: {message}");
            let mend = if path.starts_with('/') {
                "relative to the tools' folder"
            } else {
                "leave out `..`"
            };
            assert!(message.contains(mend), "{tool} {path}: {message}");
        }
    }
    assert_eq!(fs::read_to_string(absolute).unwrap(), "secret");
}

#[cfg(unix)]
#[test]
fn symbolic_links_that_lead_out_are_refused() {
    use std::os::unix::fs::symlink;

    let place = Place::new(Access::ReadWrite);
    fs::create_dir(place.outer().join("other")).unwrap();
    fs::write(place.outer().join("other/secret.txt"), "secret").unwrap();
    let root = place.outer().join("root");
    symlink("../other/secret.txt", root.join("relative")).unwrap();
    symlink(
        place.outer().join("other/secret.txt"),
        root.join("absolute"),
    )
    .unwrap();
    symlink("../other", root.join("folder")).unwrap();
    symlink("../other/new.txt", root.join("dangling")).unwrap();
    for path in [
        "relative",
        "absolute",
        "folder/secret.txt",
        "folder",
        "dangling",
    ] {
        for (tool, arguments) in calls(path) {
            if tool == "stat_file" && !path.contains('/') {
                // The link itself is inside.
                assert_eq!(
                    place.ok(tool, arguments).get("kind"),
                    Some(&json!("symlink"))
                );
                continue;
            }
            let (kind, message) = place.fails(tool, arguments);
            assert_eq!(kind, "PathError", "{tool} {path}: {message}");
        }
    }
    // They are listed, never entered.
    let listed = place.ok("list_files", json!({ "recursive": true }));
    assert_eq!(listed.get("entries").unwrap().as_array().unwrap().len(), 4);
    let found = place.ok("search_files", json!({ "pattern": "secret" }));
    assert_eq!(found.get("matches"), Some(&json!([])));
    assert_eq!(
        fs::read_to_string(place.outer().join("other/secret.txt")).unwrap(),
        "secret"
    );
    assert!(!place.outer().join("other/new.txt").exists());
}

#[cfg(unix)]
#[test]
fn links_inside_the_folder_work() {
    use std::os::unix::fs::symlink;

    let place = Place::new(Access::ReadWrite);
    place.put("a/real.txt", "text");
    symlink("a/real.txt", place.outer().join("root/link")).unwrap();
    assert_eq!(
        place
            .ok("read_file", json!({ "path": "link" }))
            .get("content"),
        Some(&json!("text"))
    );
    place.ok("write_file", json!({ "path": "link", "content": "new" }));
    assert_eq!(place.text("a/real.txt"), "new");
    assert!(place.outer().join("root/link").is_symlink());
    // A loop of links ends.
    symlink("loop", place.outer().join("root/loop")).unwrap();
    assert_eq!(
        place.fails("read_file", json!({ "path": "loop" })).0,
        "FileError"
    );
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_do_not_hang() {
    let place = Place::new(Access::ReadWrite);
    let made = std::process::Command::new("mkfifo")
        .arg(place.outer().join("root/pipe"))
        .status()
        .unwrap();
    assert!(made.success());
    for (tool, arguments) in calls("pipe") {
        match tool {
            "stat_file" => assert_eq!(place.ok(tool, arguments).get("kind"), Some(&json!("other"))),
            "list_files" => assert_eq!(place.fails(tool, arguments).0, "PathError"),
            _ => assert_eq!(place.fails(tool, arguments).0, "NotAFileError", "{tool}"),
        }
    }
}

#[test]
fn without_write_there_are_no_writing_tools() {
    let names = |access| {
        let place = Place::new(access);
        let folder = Folder::open(place.outer()).unwrap();
        let tools = file_tools(&folder, access).unwrap();
        tools
            .iter()
            .map(|tool| tool.name().to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names(Access::Read),
        ["list_files", "read_file", "search_files", "stat_file"]
    );
    assert_eq!(
        names(Access::ReadWrite),
        [
            "edit_file",
            "list_files",
            "read_file",
            "search_files",
            "stat_file",
            "write_file"
        ]
    );
}

// SPEC C1, G3
#[test]
fn reads_overlap_and_writes_do_not() {
    let place = Place::new(Access::ReadWrite);
    for (tool, arguments) in calls("a") {
        let safe = place
            .registry()
            .get(tool)
            .unwrap()
            .is_concurrency_safe(&arguments);
        assert_eq!(safe, !matches!(tool, "write_file" | "edit_file"), "{tool}");
    }
}
