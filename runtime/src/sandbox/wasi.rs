//! What a guest that needs WASI gets of it: clocks, random bits, and the folders that were mounted. Nothing else.
//!
//! Its standard streams lead nowhere, its environment and arguments are empty, it can't make a socket, and what it opens is
//! counted.

use std::path::PathBuf;

use wasmtime::component::ResourceTable;
use wasmtime_wasi::{FsPerms, WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use super::error::SandboxError;
use super::host::RunState;
use crate::code_runtime::CodeLanguage;

/// Handles that a guest may hold: open files, and what it waits for.
const MAX_HANDLES: usize = 1_000;

/// Random bytes that a guest gets at one time; they are made in the host's memory. CPython asks for 256.
const MAX_RANDOM_BYTES: u64 = 64 * 1024;

/// A folder of the host that programs may open files in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mount {
    /// The folder.
    pub(super) host: PathBuf,
    /// The absolute path under which programs find it.
    pub(super) guest: String,
    pub(super) access: MountAccess,
}

/// What programs may do in a mounted folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MountAccess {
    /// List and read.
    ReadOnly,
    /// Also make, change and remove.
    ReadWrite,
}

/// Finds what is wrong with mounts before a program runs.
pub(super) fn check(mounts: &[Mount], language: CodeLanguage) -> Result<(), SandboxError> {
    for (index, mount) in mounts.iter().enumerate() {
        let refuse = |reason: String| {
            Err(SandboxError::Mount {
                folder: mount.host.clone(),
                reason,
            })
        };
        let parts = mount.guest.strip_prefix('/').unwrap_or_default();
        if language != CodeLanguage::Python {
            return refuse(format!(
                "{} programs open no files: give them tools, or write them in Python",
                language.display_name()
            ));
        }
        if parts.is_empty() || parts.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return refuse(format!(
                "programs can't find it at {:?}: choose an absolute path such as /data",
                mount.guest
            ));
        }
        if mounts[..index]
            .iter()
            .any(|other| other.guest == mount.guest)
        {
            return refuse(format!(
                "another one is mounted at {}: choose another path",
                mount.guest
            ));
        }
        match std::fs::metadata(&mount.host) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return refuse("it is no folder".to_owned()),
            Err(error) => return refuse(error.to_string()),
        }
    }
    Ok(())
}

/// The WASI of one run.
pub(super) struct Wasi {
    context: WasiCtx,
    table: ResourceTable,
}

impl Wasi {
    /// Opens the mounted folders. An error names the one that could not be opened.
    pub(super) fn new(mounts: &[Mount]) -> Result<Self, String> {
        let mut builder = WasiCtxBuilder::new();
        builder
            .allow_tcp(false)
            .allow_udp(false)
            .max_random_size(MAX_RANDOM_BYTES);
        for mount in mounts {
            let permissions = match mount.access {
                MountAccess::ReadOnly => FsPerms::ReadOnly,
                MountAccess::ReadWrite => FsPerms::ReadWrite,
            };
            builder
                .preopened_dir(&mount.host, &mount.guest, permissions)
                .map_err(|error| {
                    format!(
                        "the mounted folder {} can't be opened: {error}",
                        mount.host.display()
                    )
                })?;
        }
        let mut table = ResourceTable::new();
        table.set_max_capacity(MAX_HANDLES);
        Ok(Wasi {
            context: builder.build(),
            table,
        })
    }
}

impl WasiView for RunState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        // Only guests that are linked with WASI come here, and their runs have one.
        let wasi = self.wasi.get_or_insert_with(|| {
            Box::new(Wasi {
                context: WasiCtxBuilder::new()
                    .allow_tcp(false)
                    .allow_udp(false)
                    .build(),
                table: ResourceTable::new(),
            })
        });
        WasiCtxView {
            ctx: &mut wasi.context,
            table: &mut wasi.table,
        }
    }
}
