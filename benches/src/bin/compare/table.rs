//! The tables of a comparison as Markdown: the targets, the figures, what is missing and why.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;

use lockgate::code_runtime::CodeLanguage;
use lockgate_benches::stats::{digits, median};
use lockgate_benches::subject;
use lockgate_benches::target::{Against, Bound, TARGETS, Target};
use lockgate_benches::work::{self, Figure, WORKS, Work};

use crate::rounds::{Cell, Figures};
use crate::startup::{self, Startup};

const BEGIN: &str = "<!-- figures of `cargo xtask bench compare --docs` begin -->";
const END: &str = "<!-- figures end -->";

/// Everything, as Markdown.
pub(crate) fn markdown(figures: &Figures) -> String {
    let mut out = format!(
        "Machine: {}. {} rounds, medians.\n\n",
        figures.machine, figures.rounds
    );
    targets(&mut out, figures);
    let of = |python: bool| {
        move |id: &str| {
            subject::find(id)
                .is_some_and(|subject| (subject.language == CodeLanguage::Python) == python)
        }
    };
    table(&mut out, "JavaScript and TypeScript", figures, of(false));
    table(&mut out, "Python", figures, of(true));
    if !figures.startup.is_empty() {
        start_up(&mut out, &figures.startup);
    }
    versions(&mut out, figures);
    missing(&mut out, figures);
    out
}

/// Puts the tables between the two marks of a page.
pub(crate) fn write_into(page: &Path, figures: &Figures) -> io::Result<()> {
    let text = fs::read_to_string(page)?;
    let parts = text
        .split_once(BEGIN)
        .and_then(|(head, rest)| Some((head, rest.split_once(END)?.1)));
    let Some((head, tail)) = parts else {
        let message = format!(
            "{} has no place for the figures: {BEGIN} … {END}",
            page.display()
        );
        return Err(io::Error::other(message));
    };
    let generated = markdown(figures);
    fs::write(page, format!("{head}{BEGIN}\n\n{generated}\n{END}{tail}"))
}

fn targets(out: &mut String, figures: &Figures) {
    let mut rows = Vec::new();
    for target in TARGETS {
        let Some(reached) = reached(target, figures) else {
            continue;
        };
        let holds = if target.bound.holds(reached) {
            "yes"
        } else {
            "**no**"
        };
        let (bound, limit) = match target.bound {
            Bound::AtMost(limit) => ("≤", limit),
            Bound::AtLeast(limit) => ("≥", limit),
        };
        let Some(work) = work::find(target.work) else {
            continue;
        };
        let aim = match target.against {
            Against::Peer(peer, of) if of == target.work => format!("{bound} {limit} × {peer}"),
            Against::Peer(peer, of) => format!("{bound} {limit} × {peer} in {}", of.to_uppercase()),
            Against::Alone => format!("{bound} {limit} {}", short_unit(work.figure)),
        };
        rows.push(format!(
            "| {} | {aim} | {} | {holds} |",
            work.title,
            digits(reached)
        ));
    }
    if let Some(first) = figures.startup.first().and_then(|startup| startup.wall_ms) {
        let holds = if first <= startup::TARGET_MS {
            "yes"
        } else {
            "**no**"
        };
        rows.push(format!(
            "| Start-up of `lockgate run` | ≤ {} ms wall | {} | {holds} |",
            startup::TARGET_MS,
            digits(first)
        ));
    }
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "| Aim | bound | reached | holds |\n| --- | --- | ---: | --- |"
    );
    for row in rows {
        let _ = writeln!(out, "{row}");
    }
    out.push('\n');
}

/// The unit of a bound that stands alone.
fn short_unit(figure: Figure) -> &'static str {
    match figure {
        Figure::WallOverHost | Figure::Late => "ms",
        other => other.unit(),
    }
}

/// What a target came to: the ratio or the figure.
fn reached(target: &Target, figures: &Figures) -> Option<f64> {
    let ours = figures.cell(target.ours, target.work)?;
    match target.against {
        Against::Alone => ours.figure(),
        Against::Peer(peer, work) => {
            let theirs = figures.cell(peer, work)?;
            ratio(ours, theirs)
        }
    }
}

/// The median of the ratios of the same round; of the medians, where rounds have no partner.
fn ratio(ours: &Cell, theirs: &Cell) -> Option<f64> {
    if ours.work == theirs.work
        && ours.rounds.len() == theirs.rounds.len()
        && !ours.rounds.is_empty()
    {
        let pairs = ours.rounds.iter().zip(&theirs.rounds);
        return Some(median(pairs.map(|(ours, theirs)| ours / theirs)));
    }
    Some(ours.figure()? / theirs.figure()?)
}

fn table(out: &mut String, title: &str, figures: &Figures, of: impl Fn(&str) -> bool) {
    let subjects: Vec<_> = figures
        .subjects
        .iter()
        .filter(|subject| of(&subject.id) && subject.skipped.is_none())
        .collect();
    if subjects.is_empty() {
        return;
    }
    let _ = write!(out, "### {title}\n\n| work | unit |");
    for subject in &subjects {
        let _ = write!(out, " {} |", subject.label);
    }
    let _ = write!(out, "\n| --- | --- |");
    for _ in &subjects {
        out.push_str(" ---: |");
    }
    out.push('\n');
    for work in WORKS {
        let cells: Vec<_> = subjects
            .iter()
            .map(|subject| figures.cell(&subject.id, work.id))
            .collect();
        if cells.iter().all(Option::is_none) {
            continue;
        }
        let _ = write!(out, "| {} | {} |", work.title, work.figure.unit());
        for cell in cells {
            let _ = write!(
                out,
                " {} |",
                cell.map_or_else(String::new, |cell| entry(work, cell))
            );
        }
        out.push('\n');
    }
    out.push('\n');
}

fn entry(work: &Work, cell: &Cell) -> String {
    let Some(figure) = cell.figure() else {
        return "–".to_owned();
    };
    let mut text = digits(figure);
    if let Some(gap) = cell.gap_ms {
        let _ = write!(text, " ({})", digits(gap));
    }
    if let Some(live) = cell.live
        && !work.id.ends_with(&format!("_{live}"))
    {
        let _ = write!(text, " ({live} live)");
    }
    text
}

fn start_up(out: &mut String, startup: &[Startup]) {
    let _ = writeln!(
        out,
        "### Start-up\n\n| command | ms wall | ms CPU |\n| --- | ---: | ---: |"
    );
    for command in startup {
        let figure = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), digits);
        let _ = writeln!(
            out,
            "| `{}` | {} | {} |",
            command.command,
            figure(command.wall_ms),
            figure(command.cpu_ms)
        );
    }
    out.push('\n');
}

fn versions(out: &mut String, figures: &Figures) {
    let names: Vec<_> = figures
        .subjects
        .iter()
        .filter_map(|subject| subject.name.as_deref())
        .collect();
    let _ = writeln!(out, "Measured: {}.\n", names.join("; "));
}

fn missing(out: &mut String, figures: &Figures) {
    let mut lines = Vec::new();
    for subject in &figures.subjects {
        if let Some(reason) = &subject.skipped {
            lines.push(format!("- {}, everything: {reason}", subject.label));
            continue;
        }
        let cells = figures
            .cells
            .iter()
            .filter(|cell| cell.subject == subject.id);
        for cell in cells {
            if let Some(reason) = &cell.reason {
                lines.push(format!(
                    "- {}, {}: {reason}",
                    subject.label,
                    cell.work.to_uppercase()
                ));
            }
        }
    }
    for startup in &figures.startup {
        if let Some(reason) = &startup.reason {
            lines.push(format!("- `{}`: {reason}", startup.command));
        }
    }
    if !lines.is_empty() {
        let _ = writeln!(out, "What is missing, and why:\n\n{}", lines.join("\n"));
    }
}
