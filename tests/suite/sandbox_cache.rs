//! Compiled guests are kept where only their owner can write, and never trusted elsewhere.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

use lockgate::code_runtime::CodeLanguage;
use lockgate::sandbox::{CachePolicy, Progress, Sandbox};

use crate::sandbox_support::{TYPESCRIPT, cache};

/// Sandboxes that share a cache share their engine too, within a process. Another number of slots makes another engine, as
/// another process would.
fn build(directory: &Path, slots: u32) -> Vec<Progress> {
    let events = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&events);
    Sandbox::builder()
        .language(CodeLanguage::JavaScript)
        .cache(CachePolicy::Directory(directory.to_owned()))
        .max_concurrent_runs(slots)
        .on_progress(move |event| sink.lock().unwrap().push(event.clone()))
        .build_blocking()
        .unwrap();
    events.lock().unwrap().clone()
}

fn compiled(events: &[Progress]) -> bool {
    events.iter().any(|event| {
        matches!(
            event,
            Progress::Compiled {
                guest: "quickjs",
                ..
            }
        )
    })
}

fn refusal(events: &[Progress]) -> Option<&str> {
    events.iter().find_map(|event| match event {
        Progress::NotCached { reason, .. } => Some(reason.as_str()),
        _ => None,
    })
}

fn files(directory: &Path) -> Vec<PathBuf> {
    fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect()
}

fn name(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

fn allow(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

// One test: each compilation takes seconds of all cores.
#[test]
fn compiled_guests_are_kept_and_guarded() {
    let parent = tempfile::tempdir().unwrap();
    let directory = parent.path().join("a").join("b");
    let events = build(&directory, 1);
    assert!(
        compiled(&events) && refusal(&events).is_none(),
        "{events:?}"
    );
    let [file] = &files(&directory)[..] else {
        panic!("one whole file: {:?}", files(&directory))
    };
    assert_eq!(
        fs::metadata(&directory).unwrap().permissions().mode() & 0o077,
        0
    );
    assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o077, 0);
    assert_eq!(build(&directory, 2), [], "a second process loads it");

    // Others could have written the file: compiled again, and replaced.
    allow(file, 0o620);
    assert!(compiled(&build(&directory, 3)));
    assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o077, 0);

    // A link in its place is not followed.
    let elsewhere = parent.path().join("elsewhere");
    fs::rename(file, &elsewhere).unwrap();
    symlink(&elsewhere, file).unwrap();
    assert!(compiled(&build(&directory, 4)));
    assert!(fs::symlink_metadata(file).unwrap().is_file());

    // What is no compiled guest is compiled again. (A new file: the old one is mapped by a living engine.)
    fs::remove_file(file).unwrap();
    fs::write(file, b"\x7fELF nonsense").unwrap();
    assert!(compiled(&build(&directory, 5)));
    assert_eq!(build(&directory, 6), [], "and was replaced");

    // A file that was cut is compiled again too, wherever the cut is.
    let whole = fs::read(file).unwrap();
    for (slots, length) in [(9, whole.len() / 2), (10, 0)] {
        fs::remove_file(file).unwrap();
        fs::write(file, &whole[..length]).unwrap();
        allow(file, 0o600);
        assert!(compiled(&build(&directory, slots)), "{length} bytes");
        assert_eq!(fs::read(file).unwrap().len(), whole.len(), "replaced");
    }

    // One flipped bit anywhere, also in the middle of the code.
    for (slots, part) in [(11, 3), (12, 2)] {
        let mut flipped = whole.clone();
        flipped[whole.len() / part] ^= 0b100;
        fs::remove_file(file).unwrap();
        fs::write(file, &flipped).unwrap();
        allow(file, 0o600);
        assert!(compiled(&build(&directory, slots)), "one {part}th");
        assert_eq!(fs::read(file).unwrap(), whole, "replaced");
    }

    // Compiled code of another guest, under this one's name with its own checksum: the checksum is of the name as well.
    LazyLock::force(&TYPESCRIPT);
    let CachePolicy::Directory(shared) = cache() else {
        unreachable!("the suites keep theirs in a directory")
    };
    let foreign = files(&shared)
        .into_iter()
        .find(|path| name(path).starts_with("typescript-"))
        .unwrap();
    let (stem, _) = name(file).rsplit_once('-').unwrap();
    let (_, checksum) = name(&foreign).rsplit_once('-').unwrap();
    let disguised = directory.join(format!("{stem}-{checksum}"));
    fs::remove_file(file).unwrap();
    fs::copy(&foreign, &disguised).unwrap();
    allow(&disguised, 0o600);
    assert!(compiled(&build(&directory, 13)));
    assert_eq!(
        files(&directory),
        std::slice::from_ref(file),
        "and was removed"
    );

    // Others can write the directory: not used at all, and the reason is told.
    allow(&directory, 0o770);
    let events = build(&directory, 7);
    assert!(compiled(&events));
    assert!(
        refusal(&events).unwrap().contains("others can write"),
        "{events:?}"
    );
    assert_eq!(files(&directory).len(), 1);
    allow(&directory, 0o700);

    // A path that can't be a directory.
    let events = build(file, 8);
    assert!(
        compiled(&events) && refusal(&events).is_some(),
        "{events:?}"
    );
}
