//! A folder with tools over it.

use std::{fs, path::Path};

use lockgate::{CallRequest, Json, Registry, ToolResult};
use lockgate_cli::file_tools::{Access, Folder, file_tools};
use tempfile::TempDir;

/// A temporary folder `outer` with a folder `root` in it, over which the tools are.
pub(crate) struct Place {
    outer: TempDir,
    registry: Registry,
}

impl Place {
    pub(crate) fn new(access: Access) -> Self {
        let outer = TempDir::new().expect("a temporary folder");
        fs::create_dir(outer.path().join("root")).expect("a folder");
        let folder = Folder::open(&outer.path().join("root")).expect("the folder opens");
        let registry = Registry::new();
        for tool in file_tools(&folder, access).expect("the tools build") {
            registry.register(tool).expect("the tool registers").keep();
        }
        Self { outer, registry }
    }

    /// A place that is read, with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let place = Self::new(Access::Read);
        for (path, text) in files {
            place.put(path, text);
        }
        place
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.registry
    }

    pub(crate) fn outer(&self) -> &Path {
        self.outer.path()
    }

    pub(crate) fn put(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.outer.path().join("root").join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, text).expect("a file");
    }

    pub(crate) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.outer.path().join("root").join(path)).expect("a text")
    }

    pub(crate) async fn call(&self, name: &str, arguments: Json) -> ToolResult {
        self.registry
            .execute(CallRequest::new("1", name, arguments))
            .await
    }

    /// The value of a call that succeeds.
    #[track_caller]
    pub(crate) fn ok(&self, name: &str, arguments: Json) -> Json {
        let result = run(self.call(name, arguments));
        result
            .value()
            .cloned()
            .unwrap_or_else(|| panic!("{name}: {}", result.text()))
    }

    /// Name and message of the error of a call that fails.
    #[track_caller]
    pub(crate) fn fails(&self, name: &str, arguments: Json) -> (String, String) {
        let result = run(self.call(name, arguments));
        let error = result
            .error()
            .unwrap_or_else(|| panic!("{name} succeeded: {}", result.text()));
        let kind = error
            .info
            .as_ref()
            .map(|info| info.name.to_string())
            .unwrap_or_default();
        (kind, error.message.to_string())
    }
}

pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(future)
}

/// The strings at `key` in an array of objects.
pub(crate) fn column<'j>(array: &'j Json, key: &str) -> Vec<&'j str> {
    array
        .as_array()
        .expect("an array")
        .iter()
        .map(|item| item.get(key).and_then(Json::as_str).expect("a string"))
        .collect()
}
