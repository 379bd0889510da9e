//! `cargo xtask guests`: builds the wasm guests from source into `sandbox-guest/prebuilt`, or verifies what is there.

#[cfg(feature = "guests")]
mod build;
mod python;
#[cfg(feature = "guests")]
mod snapshot;
#[cfg(feature = "guests")]
mod toolchain;
#[cfg(feature = "guests")]
mod trial;

/// A guest that this command can build.
#[derive(Debug)]
#[cfg_attr(
    not(feature = "guests"),
    expect(dead_code, reason = "read by the parts behind the feature")
)]
struct Guest {
    /// The name on the command line and of the file.
    name: &'static str,
    /// The cargo package: a cdylib that implements its world with wit-bindgen and exports `init` for the snapshot.
    package: &'static str,
    /// Whether building it compiles C.
    c_compiler: bool,
    /// Bytes of the stack in linear memory.
    stack_bytes: u32,
    /// Flags for the Rust compiler, beside those of all guests.
    rust_flags: &'static [&'static str],
}

const GUESTS: &[Guest] = &[
    Guest {
        name: "boa",
        package: "lockgate-guest-boa",
        c_compiler: false,
        stack_bytes: 8 << 20,
        // Its libraries ask the guest for random bits.
        rust_flags: &["--cfg=getrandom_backend=\"custom\""],
    },
    Guest {
        name: "quickjs",
        package: "lockgate-guest-quickjs",
        c_compiler: true,
        stack_bytes: 8 << 20,
        rust_flags: &[],
    },
    Guest {
        name: "typescript",
        package: "lockgate-guest-typescript",
        c_compiler: false,
        stack_bytes: 8 << 20,
        rust_flags: &[],
    },
];

/// The guest that componentize-py builds, and that is not checked in.
const PYTHON: &str = "python";

/// What the command line asks for.
#[derive(Debug, Default)]
struct Options {
    guests: Vec<&'static Guest>,
    /// The one that is not built by cargo.
    python: bool,
    verify: bool,
    trials: Vec<std::path::PathBuf>,
    repeat: Option<usize>,
    target_dir: Option<std::path::PathBuf>,
}

fn parse(args: &[String]) -> Result<Options, String> {
    let mut options = Options::default();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--verify" => options.verify = true,
            "--target-dir" => {
                options.target_dir = Some(args.next().ok_or("--target-dir needs a folder")?.into())
            }
            "--try" => options
                .trials
                .push(args.next().ok_or("--try needs a program")?.into()),
            "--repeat" => {
                let count = args.next().and_then(|count| count.parse().ok());
                options.repeat = Some(
                    count
                        .filter(|&count| count > 0)
                        .ok_or("--repeat needs a number of runs")?,
                );
            }
            "all" => {
                options.guests = GUESTS.iter().collect();
                options.python = true;
            }
            PYTHON => options.python = true,
            name => match GUESTS.iter().find(|guest| guest.name == name) {
                Some(guest) => options.guests.push(guest),
                None => {
                    let known: Vec<_> = GUESTS.iter().map(|guest| guest.name).collect();
                    return Err(format!(
                        "there is no guest {name}; known: {}, {PYTHON}, all",
                        known.join(", ")
                    ));
                }
            },
        }
    }
    if options.guests.is_empty() && !options.python {
        let tried = |guest: &&Guest| options.trials.is_empty() || guest.name == "quickjs";
        options.guests = GUESTS.iter().filter(tried).collect();
    }
    Ok(options)
}

/// The root of the workspace. Cargo says where it runs this program; a target folder may serve several checkouts.
fn root() -> std::path::PathBuf {
    let xtask = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(
        || env!("CARGO_MANIFEST_DIR").into(),
        std::path::PathBuf::from,
    );
    xtask.parent().map(Into::into).unwrap_or(xtask)
}

/// Builds the Python guest where it is asked for, which the parts behind the feature are not needed for. True where nothing
/// else is asked for.
fn build_python(options: &Options) -> Result<bool, String> {
    if options.python {
        let root = root();
        let target_dir = options.target_dir.clone();
        python::run(
            &root,
            &target_dir.unwrap_or_else(|| root.join("target/guests")),
        )?;
    }
    Ok(options.python && options.guests.is_empty())
}

/// Builds the Python guest for the tests that need it.
pub(crate) fn python() -> Result<(), String> {
    build_python(&Options {
        python: true,
        ..Options::default()
    })
    .map(drop)
}

/// Runs the command.
#[cfg(feature = "guests")]
pub(crate) fn run(args: Vec<String>) -> Result<(), String> {
    let options = parse(&args)?;
    if build_python(&options)? {
        return Ok(());
    }
    // Wasm runs on the stack of its thread, and the guests' own limit of recursion must come first.
    let work = move || {
        if options.trials.is_empty() {
            build::run(&options)
        } else {
            let guest = options.guests.first().map_or("quickjs", |guest| guest.name);
            trial::run(&options.trials, options.repeat, guest)
        }
    };
    let worker = std::thread::Builder::new()
        .stack_size(64 << 20)
        .spawn(work)
        .map_err(|error| format!("no thread: {error}"))?;
    worker
        .join()
        .unwrap_or_else(|_| Err("the work panicked; see above".into()))
}

/// Runs the command by starting this program again with the parts that it needs: they are large, and no other chore
/// should have to compile them.
#[cfg(not(feature = "guests"))]
pub(crate) fn run(args: Vec<String>) -> Result<(), String> {
    if build_python(&parse(&args)?)? {
        return Ok(());
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = std::process::Command::new(cargo)
        .args([
            "run",
            "--release",
            "--quiet",
            "--package",
            "xtask",
            "--features",
            "guests",
            "--",
            "guests",
        ])
        .args(args)
        .status()
        .map_err(|error| format!("can't start cargo: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err("the guests were not built; see above".into())
    }
}
