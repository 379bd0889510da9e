//! The project's own chores. `cargo xtask` lists them.

use std::process::ExitCode;

mod bench;
mod guests;
mod test;

const USAGE: &str = "\
usage: cargo xtask <chore>

  test
      format, lints and all tests: what must pass before a change lands
  guests [boa|quickjs|typescript|python|all] [--verify] [--target-dir DIR]
      build the wasm guests into sandbox-guest/prebuilt; --verify compares instead of writing; python, which is not checked
      in, is also put where the runtime finds it
  guests [boa] --try PROGRAM [--repeat N]
      run a program in a prebuilt guest (by default QuickJS) over toy tools (echo, fail, sleep) and print its steps, or
      time N runs
  bench install
      install the peers that the comparison measures, at the versions of the lock files
  bench compare|growth|hostile|instructions|pipeline [options]
      build and start a benchmark; docs/benchmarks.md says what each is
";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let outcome = match args.next().as_deref() {
        Some("test") => test::run(),
        Some("bench") => bench::run(args.collect()),
        Some("guests") => guests::run(args.collect()),
        None | Some("help" | "--help" | "-h") => {
            print!("{USAGE}");
            Ok(())
        }
        Some(other) => Err(format!("there is no chore {other}\n\n{USAGE}")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
