//! The folder that the tools may use, and errors about paths in it.

use std::{
    io,
    path::{Component, Path},
    sync::Arc,
};

use cap_std::{
    ambient_authority,
    fs::{Dir, File, Metadata, OpenOptions},
};
use lockgate::ToolError;

/// An open folder. Nothing outside of it can be reached through it, whatever a path or a symbolic link says.
#[derive(Clone, Debug)]
pub struct Folder {
    dir: Arc<Dir>,
}

impl Folder {
    /// Opens the folder at `path`, with the rights of this process.
    ///
    /// # Errors
    /// As the system says; also if `path` is no folder.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            dir: Arc::new(Dir::open_ambient_dir(path, ambient_authority())?),
        })
    }

    /// The capability itself.
    pub(super) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Opens a regular file for reading. Pipes and devices are refused: opening or reading one could wait for ever.
    pub(super) fn open_file(&self, path: &str) -> Result<(File, Metadata), ToolError> {
        let failed = |error| path_error("read", path, &error);
        let before = self.dir.metadata(path).map_err(failed)?;
        require_file(path, &before)?;
        let mut options = OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt;
            // It may have become a pipe since; the look at the open file below then sees it.
            options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
        }
        let file = self.dir.open_with(path, &options).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        require_file(path, &metadata)?;
        Ok((file, metadata))
    }
}

fn require_file(path: &str, metadata: &Metadata) -> Result<(), ToolError> {
    if metadata.is_file() {
        return Ok(());
    }
    Err(if metadata.is_dir() {
        ToolError::new(format!(
            "`{path}` is a folder, not a file; `list_files` lists it"
        ))
        .named("NotAFileError")
    } else {
        ToolError::new(format!(
            "`{path}` is no regular file (a device, a pipe or a socket) and can't be used"
        ))
        .named("NotAFileError")
    })
}

/// The error of the system about `path`, with what would help.
pub(super) fn path_error(verb: &str, path: &str, error: &io::Error) -> ToolError {
    if Path::new(path).is_absolute() {
        return ToolError::new(format!(
            "can't {verb} `{path}`: absolute paths are not allowed; give the path relative to the tools' folder, such as `src/a.txt`"
        ))
        .named("PathError");
    }
    // The capability library reports every way out as "permission denied" without a code of the system.
    if error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none() {
        return ToolError::new(format!(
            "can't {verb} `{path}`: it leads out of the folder that the tools may use{}",
            if Path::new(path)
                .components()
                .any(|part| part == Component::ParentDir)
            {
                "; leave out `..`"
            } else {
                " (a symbolic link points outside)"
            }
        ))
        .named("PathError");
    }
    let (name, text) = match error.kind() {
        io::ErrorKind::NotFound => (
            "NotFoundError",
            "there is no such file; `list_files` shows what is there".to_owned(),
        ),
        io::ErrorKind::PermissionDenied => {
            ("PermissionError", "the system denies access".to_owned())
        }
        io::ErrorKind::NotADirectory => (
            "PathError",
            "a part of the path before the last is no folder".to_owned(),
        ),
        io::ErrorKind::IsADirectory => ("NotAFileError", "it is a folder".to_owned()),
        _ => ("FileError", error.to_string()),
    };
    ToolError::new(format!("can't {verb} `{path}`: {text}")).named(name)
}
