//! Keeps compiled guests between processes, in a directory that only its owner can write.
//!
//! Compiled code is loaded as it is: whoever can write it runs code in this process. A file is therefore used only if the
//! directory and the file belong to the effective user and nobody else can write to either. Both are checked on open
//! handles, so that nothing can be exchanged between the check and the use. A file's name holds the hash of the guest, the
//! hash of the engine's version, target and settings, and a checksum of the content: what a disk or a hand has changed is
//! compiled anew. The checksum is no defence against its owner, who could run code here anyway.
//!
//! A loaded file stays mapped. It may be deleted or replaced, but not be written in place: here a file is only ever renamed
//! into its place, whole.
//!
//! Unsafe code: loading compiled code, which the engine can't check.

#![expect(
    unsafe_code,
    reason = "compiled code is loaded without a check by the engine"
)]

use std::hash::Hash;
use std::path::PathBuf;
use std::time::Instant;

use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use super::artifacts::Artifact;
use super::error::SandboxError;
use super::progress::{Progress, ProgressSink};

/// Where compiled guests are kept between processes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CachePolicy {
    /// In the user's cache directory, e.g. `~/.cache/lockgate`. Where there is none, or others can write to it, guests are
    /// compiled in memory.
    #[default]
    PerUser,
    /// In this directory; it is made if it does not exist. The same rules hold.
    Directory(PathBuf),
    /// Nowhere: each process compiles anew, which takes seconds.
    InMemory,
}

/// Loads a guest from the cache, or compiles it and keeps it there.
pub(super) fn load(
    engine: &Engine,
    artifact: &Artifact,
    policy: &CachePolicy,
    progress: Option<&ProgressSink>,
) -> Result<Component, SandboxError> {
    let tell = |event: Progress| {
        if let Some(sink) = progress {
            sink(&event);
        }
    };
    let guest = artifact.name;
    let failed = |error: wasmtime::Error| SandboxError::Guest {
        guest,
        reason: format!("{error:#}"),
    };
    let directory = match storage::open(policy) {
        Ok(directory) => directory,
        Err(reason) => {
            tell(Progress::NotCached { guest, reason });
            None
        }
    };
    let stem = file_stem(engine, artifact);
    if let Some(component) = directory
        .as_ref()
        .and_then(|directory| directory.load(engine, &stem))
    {
        return Ok(component);
    }
    tell(Progress::Compiling { guest });
    let began = Instant::now();
    let compiled = engine
        .precompile_component(&artifact.wasm)
        .map_err(failed)?;
    tell(Progress::Compiled {
        guest,
        took: began.elapsed(),
    });
    if let Some(directory) = directory {
        match directory.store(&stem, &compiled) {
            // From the file its pages are shared with other processes.
            Ok(()) => {
                if let Some(component) = directory.load(engine, &stem) {
                    return Ok(component);
                }
            }
            Err(error) => tell(Progress::NotCached {
                guest,
                reason: format!("writing failed: {error}"),
            }),
        }
    }
    // SAFETY: this very engine has just compiled these bytes.
    unsafe { Component::deserialize(engine, compiled) }.map_err(failed)
}

/// The name of a compiled guest's file, up to the checksum.
fn file_stem(engine: &Engine, artifact: &Artifact) -> String {
    let mut settings = Settings(Sha256::new());
    engine.precompile_compatibility_hash().hash(&mut settings);
    let mut name = format!("{}-{:.16}-", artifact.name, artifact.sha256());
    for byte in &settings.0.finalize()[..8] {
        name.push_str(&format!("{byte:02x}"));
    }
    name
}

/// Feeds what would be hashed to a stable hash.
struct Settings(Sha256);

impl std::hash::Hasher for Settings {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        // Nobody asks for it: the digest is taken at the end instead.
        0
    }
}

pub(super) use storage::read_trusted;

#[cfg(unix)]
mod storage {
    use std::fs::{DirBuilder, File};
    use std::io::{self, Read, Seek, Write};
    use std::os::fd::{AsRawFd, OwnedFd};
    use std::os::unix::fs::DirBuilderExt;
    use std::path::{Path, PathBuf};
    use std::sync::atomic::{AtomicU32, Ordering};

    use crc32fast::Hasher;
    use etcetera::BaseStrategy;
    use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
    use wasmtime::Engine;
    use wasmtime::component::Component;

    use super::CachePolicy;

    /// Bytes of a file that are read at a time.
    const READ_BYTES: usize = 256 * 1024;

    /// An open directory that was found to be the user's alone.
    pub(super) struct Directory {
        handle: OwnedFd,
    }

    /// Reads a file that only its owner could have written: the user, or the system. An error says why it is not read.
    pub(in crate::sandbox) fn read_trusted(path: &Path) -> Result<Vec<u8>, String> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let handle =
            rustix::fs::open(path, flags, Mode::empty()).map_err(|error| error.to_string())?;
        let stat = rustix::fs::fstat(&handle).map_err(|error| error.to_string())?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err("it is no regular file".to_owned());
        }
        let root = 0;
        if ![rustix::process::geteuid().as_raw(), root].contains(&stat.st_uid) {
            return Err("it belongs to another user: make a copy of your own".to_owned());
        }
        writable_by_owner_alone(Mode::from_raw_mode(stat.st_mode))?;
        let mut bytes = Vec::new();
        File::from(handle)
            .read_to_end(&mut bytes)
            .map_err(|error| error.to_string())?;
        Ok(bytes)
    }

    fn writable_by_owner_alone(mode: Mode) -> Result<(), String> {
        if mode.intersects(Mode::WGRP | Mode::WOTH) {
            return Err(
                "others can write to it: take their permission away (chmod go-w)".to_owned(),
            );
        }
        Ok(())
    }

    /// Opens the cache directory. An error says why it is not used.
    pub(super) fn open(policy: &CachePolicy) -> Result<Option<Directory>, String> {
        let path = match policy {
            CachePolicy::InMemory => return Ok(None),
            CachePolicy::Directory(path) => path.clone(),
            CachePolicy::PerUser => {
                per_user().ok_or("the user has no home directory: set HOME or XDG_CACHE_HOME")?
            }
        };
        open_at(&path)
            .map(Some)
            .map_err(|reason| format!("{}: {reason}", path.display()))
    }

    fn per_user() -> Option<PathBuf> {
        Some(
            etcetera::choose_base_strategy()
                .ok()?
                .cache_dir()
                .join("lockgate"),
        )
    }

    fn open_at(path: &Path) -> Result<Directory, String> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path)
            .map_err(|error| error.to_string())?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle =
            rustix::fs::open(path, flags, Mode::empty()).map_err(|error| error.to_string())?;
        check(&handle, FileType::Directory)?;
        Ok(Directory { handle })
    }

    /// Holds only for what is of the right type, the user's own, and writable by nobody else.
    fn check(handle: &OwnedFd, wanted: FileType) -> Result<(), String> {
        let stat = rustix::fs::fstat(handle).map_err(|error| error.to_string())?;
        if FileType::from_raw_mode(stat.st_mode) != wanted {
            return Err("it is of the wrong type".to_owned());
        }
        if stat.st_uid != rustix::process::geteuid().as_raw() {
            return Err("it belongs to another user: choose another directory".to_owned());
        }
        writable_by_owner_alone(Mode::from_raw_mode(stat.st_mode))
    }

    /// A file's name: the stem, and the checksum of the stem and the content. One that is renamed does not match either.
    fn file_name(stem: &str, checksum: Hasher) -> String {
        format!("{stem}-{:08x}.cwasm", checksum.finalize())
    }

    fn checksum_of(stem: &str) -> Hasher {
        let mut checksum = Hasher::new();
        checksum.update(stem.as_bytes());
        checksum
    }

    impl Directory {
        /// The compiled guest, if there is one that can be trusted, that is whole, and that fits the engine. A file that is not
        /// makes room for the one that will be.
        pub(super) fn load(&self, engine: &Engine, stem: &str) -> Option<Component> {
            for name in self.names(stem) {
                match self.load_file(engine, stem, &name) {
                    Some(component) => return Some(component),
                    None => {
                        let _ = rustix::fs::unlinkat(&self.handle, &name, AtFlags::empty());
                    }
                }
            }
            None
        }

        /// The files that may hold a guest.
        fn names(&self, stem: &str) -> Vec<String> {
            let Ok(entries) = Dir::read_from(&self.handle) else {
                return Vec::new();
            };
            entries
                .flatten()
                .filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned))
                .filter(|name| name.starts_with(stem) && name.ends_with(".cwasm"))
                .collect()
        }

        fn load_file(&self, engine: &Engine, stem: &str, name: &str) -> Option<Component> {
            // Not blocking: a pipe in the place of the file must not hang the process.
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let handle = rustix::fs::openat(&self.handle, name, flags, Mode::empty()).ok()?;
            check(&handle, FileType::RegularFile).ok()?;
            let mut file = File::from(handle);
            let mut checksum = checksum_of(stem);
            let mut buffer = vec![0; READ_BYTES];
            loop {
                match file.read(&mut buffer).ok()? {
                    0 => break,
                    length => checksum.update(&buffer[..length]),
                }
            }
            if name != file_name(stem, checksum) {
                return None;
            }
            // The name of the open handle: the file that was checked, whatever its path means by now.
            let reopened = format!("/proc/self/fd/{}", file.as_raw_fd());
            // SAFETY: the file was written by this module on behalf of this user; nobody else could write to it.
            if let Ok(component) = unsafe { Component::deserialize_file(engine, reopened) } {
                return Some(component);
            }
            let mut bytes = Vec::new();
            file.seek(io::SeekFrom::Start(0)).ok()?;
            file.read_to_end(&mut bytes).ok()?;
            // SAFETY: as above.
            unsafe { Component::deserialize(engine, bytes) }.ok()
        }

        /// Writes a compiled guest: whole, or not at all.
        pub(super) fn store(&self, stem: &str, compiled: &[u8]) -> io::Result<()> {
            let mut checksum = checksum_of(stem);
            checksum.update(compiled);
            let name = &file_name(stem, checksum);
            static NUMBER: AtomicU32 = AtomicU32::new(0);
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let partial = format!("{name}.{}-{number}.partial", std::process::id());
            // A leftover of a killed process with the same number.
            let _ = rustix::fs::unlinkat(&self.handle, &partial, AtFlags::empty());
            let flags =
                OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let handle =
                rustix::fs::openat(&self.handle, &partial, flags, Mode::RUSR | Mode::WUSR)?;
            let mut file = File::from(handle);
            let written = file
                .write_all(compiled)
                .and_then(|()| file.sync_all())
                .and_then(|()| {
                    Ok(rustix::fs::renameat(
                        &self.handle,
                        &partial,
                        &self.handle,
                        name,
                    )?)
                });
            if written.is_err() {
                let _ = rustix::fs::unlinkat(&self.handle, &partial, AtFlags::empty());
            }
            written
        }
    }
}

#[cfg(not(unix))]
mod storage {
    use std::io;

    use wasmtime::Engine;
    use wasmtime::component::Component;

    use super::CachePolicy;

    /// There is none: ownership can't be checked on this system.
    pub(super) enum Directory {}

    /// Whose the file is can't be checked here: the embedder who names it vouches for it.
    pub(in crate::sandbox) fn read_trusted(path: &std::path::Path) -> Result<Vec<u8>, String> {
        std::fs::read(path).map_err(|error| error.to_string())
    }

    pub(super) fn open(policy: &CachePolicy) -> Result<Option<Directory>, String> {
        match policy {
            CachePolicy::InMemory => Ok(None),
            _ => Err("compiled guests are not kept on this system".to_owned()),
        }
    }

    impl Directory {
        pub(super) fn load(&self, _engine: &Engine, _stem: &str) -> Option<Component> {
            match *self {}
        }

        pub(super) fn store(&self, _stem: &str, _compiled: &[u8]) -> io::Result<()> {
            match *self {}
        }
    }
}
