//! The command line of the comparison.

const USAGE: &str = "\
usage: compare [options]

  --works p1,p2,…     only these works
  --subjects a,b,…    only these subjects
  --rounds N          interleaved rounds of each work (9)
  --json FILE         write all figures there
  --docs              rewrite the generated part of docs/benchmarks.md, and its pictures";

/// What is asked for.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) works: Option<Vec<String>>,
    pub(crate) subjects: Option<Vec<String>>,
    pub(crate) rounds: usize,
    pub(crate) json: Option<String>,
    pub(crate) docs: bool,
    /// Be the driver of this subject instead: how the comparison starts itself.
    pub(crate) serve: Option<String>,
}

impl Options {
    pub(crate) fn parse(args: impl IntoIterator<Item = String>) -> Result<Options, String> {
        let mut options = Options {
            works: None,
            subjects: None,
            rounds: 9,
            json: None,
            docs: false,
            serve: None,
        };
        let mut args = args.into_iter();
        while let Some(name) = args.next() {
            let mut value = || {
                args.next()
                    .ok_or_else(|| format!("{name} needs a value\n\n{USAGE}"))
            };
            match name.as_str() {
                "--works" => options.works = Some(list(&value()?)),
                "--subjects" => options.subjects = Some(list(&value()?)),
                "--rounds" => {
                    let rounds = value()?;
                    options.rounds = rounds
                        .parse()
                        .ok()
                        .filter(|rounds| *rounds > 0)
                        .ok_or_else(|| format!("--rounds {rounds}: give a whole number from 1"))?;
                }
                "--json" => options.json = Some(value()?),
                "--docs" => options.docs = true,
                "--serve" => options.serve = Some(value()?),
                _ => return Err(format!("{name} is no option\n\n{USAGE}")),
            }
        }
        Ok(options)
    }

    pub(crate) fn wants_work(&self, id: &str) -> bool {
        wants(self.works.as_ref(), id)
    }

    pub(crate) fn wants_subject(&self, id: &str) -> bool {
        wants(self.subjects.as_ref(), id)
    }
}

fn list(text: &str) -> Vec<String> {
    text.split(',').map(str::to_owned).collect()
}

fn wants(list: Option<&Vec<String>>, id: &str) -> bool {
    list.is_none_or(|list| list.iter().any(|entry| entry == id))
}
