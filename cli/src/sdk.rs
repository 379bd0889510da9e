//! `lockgate sdk`: what a model is told.

use std::{io::Write, process::ExitCode};

use lockgate::Registry;

use crate::{
    args::SdkArgs,
    toolset::{self, Failure},
};

pub(crate) fn print(args: &SdkArgs) -> Result<ExitCode, Failure> {
    let registry = Registry::new();
    toolset::register(&registry, &args.tools)?;
    let text = registry.sdk_text(args.lang.into());
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    Ok(ExitCode::SUCCESS)
}
