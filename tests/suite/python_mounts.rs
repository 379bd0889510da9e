//! Folders that Python programs may open files in, and nowhere else.

use std::time::{Duration, Instant};

use lockgate::code_runtime::{CodeLanguage, CodeLimits, FailureKind, Limit};
use lockgate::json;
use lockgate::sandbox::{MountAccess, Sandbox, SandboxBuilder, SandboxError};

use crate::sandbox_support::{cache, expect_limit, failure_of, python, run_in};

fn builder() -> SandboxBuilder {
    let builder = Sandbox::builder()
        .language(CodeLanguage::Python)
        .cache(cache());
    match std::env::var_os("LOCKGATE_PYTHON_GUEST") {
        Some(file) => builder.python_guest(file),
        None => builder,
    }
}

// SPEC J3
#[tokio::test]
async fn files_are_there_as_far_as_the_mount_allows() {
    if python().is_none() {
        return;
    }
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret"), "secret").unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "hello").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.path().join("secret"), folder.path().join("link")).unwrap();
    let program = "
import pathlib
seen = []
def tries(what):
    try:
        seen.append(what())
    except OSError as error:
        seen.append(type(error).__name__)
tries(lambda: open('/data/a.txt').read())
tries(lambda: open('data/a.txt').read())
tries(lambda: pathlib.Path('/data/a.txt').read_text())
tries(lambda: sorted(path.name for path in pathlib.Path('/data').iterdir() if path.name != 'link'))
tries(lambda: pathlib.Path('/data/b.txt').write_text('new'))
tries(lambda: pathlib.Path('/data/a.txt').unlink())
for path in ('/data/link', '/data/../secret', '/secret', '/data/../../etc/passwd', 'secret'):
    tries(lambda: open(path).read())
return seen";
    let refused = [
        "PermissionError",
        "PermissionError",
        "FileNotFoundError",
        "PermissionError",
        "FileNotFoundError",
    ];
    for (access, written) in [
        (
            MountAccess::ReadOnly,
            json!(["PermissionError", "PermissionError"]),
        ),
        (MountAccess::ReadWrite, json!([3, null])),
    ] {
        let sandbox = builder()
            .mount(folder.path(), "/data", access)
            .build_blocking()
            .unwrap();
        let (result, _) = run_in(&sandbox, program, CodeLimits::default()).await;
        let seen = result.outcome.unwrap().unwrap();
        let seen = seen.as_array().unwrap();
        assert_eq!(
            seen[..3],
            [json!("hello"), json!("hello"), json!("hello")],
            "{access:?}"
        );
        assert_eq!(seen[3], json!(["a.txt"]), "{access:?}");
        assert_eq!(
            seen[4..6],
            written.as_array().unwrap()[..],
            "{access:?}: {seen:?}"
        );
        assert_eq!(seen[6..], refused.map(|name| json!(name)), "{access:?}");
    }
    let names: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .filter(|name| name != "link")
        .collect();
    assert_eq!(names, ["b.txt"], "the second run wrote one and removed one");
}

// SPEC J3
#[test]
fn mounts_that_make_no_sense_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let check = |builder: SandboxBuilder, text: &str| match builder.build_blocking() {
        Err(error @ SandboxError::Mount { .. }) => {
            assert!(error.to_string().contains(text), "{error}");
        }
        other => panic!("{text}: {other:?}"),
    };
    let access = MountAccess::ReadOnly;
    for path in ["data", "/", "", "/a/../b", "/a//b", "/."] {
        check(
            builder().mount(folder.path(), path, access),
            "choose an absolute path",
        );
    }
    check(
        builder()
            .mount(folder.path(), "/a", access)
            .mount(folder.path(), "/a", access),
        "choose another path",
    );
    check(
        builder().mount(folder.path().join("none"), "/a", access),
        "can't be mounted",
    );
    check(
        Sandbox::builder()
            .cache(cache())
            .mount(folder.path(), "/a", access),
        "TypeScript programs open no files",
    );
}

// SPEC J3: what others can write is not compiled.
#[cfg(unix)]
#[test]
fn a_guest_that_others_can_write_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("python.wasm");
    let build = || {
        Sandbox::builder()
            .language(CodeLanguage::Python)
            .cache(cache())
            .python_guest(&file)
            .build_blocking()
            .unwrap_err()
    };
    let missing = build();
    assert!(
        matches!(missing, SandboxError::PythonGuestMissing { .. }),
        "{missing}"
    );
    assert!(
        missing.to_string().contains("cargo xtask guests python"),
        "{missing}"
    );
    std::fs::write(&file, "no wasm").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o664)).unwrap();
    let refused = build();
    assert!(
        matches!(refused, SandboxError::PythonGuestRefused { .. }),
        "{refused}"
    );
    assert!(refused.to_string().contains("chmod go-w"), "{refused}");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let broken = build();
    assert!(
        matches!(broken, SandboxError::Guest { .. }),
        "its owner vouches for it, but it is no component: {broken}"
    );
}

// SPEC J4: a guest that waits in the host is stopped as well.
#[tokio::test]
async fn a_sleep_ends_with_the_wall_limit() {
    let Some(sandbox) = python() else { return };
    let limits = CodeLimits {
        wall: Duration::from_millis(300),
        ..CodeLimits::default()
    };
    let began = Instant::now();
    let source = "import time\ntime.sleep(1000)";
    let (result, _) = run_in(sandbox, source, limits).await;
    assert!(
        result.usage.compute < Duration::from_secs(5),
        "waiting is no compute"
    );
    expect_limit(
        &failure_of(result, source),
        FailureKind::Timeout,
        Limit::Wall,
        300,
    );
    assert!(began.elapsed() < Duration::from_secs(30));
}
