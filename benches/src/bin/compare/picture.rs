//! The pictures of a comparison: bars of each work.

use std::fs;
use std::io;
use std::path::Path;

use lockgate_benches::subject;
use lockgate_benches::svg::{self, Bar, Panel};
use lockgate_benches::work::{self, Figure};

use crate::rounds::Figures;

/// Pictures by file name, with the works that each shows.
const PICTURES: &[(&str, &[&str])] = &[
    ("calls.svg", &["p1", "p1_lines", "p2", "p3"]),
    ("data.svg", &["p5a", "p5b"]),
    ("compute.svg", &["p6_fib", "p6_loop", "p6_sort", "p6_regex"]),
    ("many.svg", &["p8_100", "p9"]),
];

/// Draws all of them into a folder.
pub(crate) fn draw(folder: &Path, figures: &Figures) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for (name, works) in PICTURES {
        let panels: Vec<Panel> = works.iter().filter_map(|id| panel(id, figures)).collect();
        if !panels.is_empty() {
            fs::write(folder.join(name), svg::bars(&panels))?;
        }
    }
    Ok(())
}

fn panel(id: &str, figures: &Figures) -> Option<Panel> {
    let work = work::find(id)?;
    let mut bars: Vec<Bar> = figures
        .subjects
        .iter()
        .filter_map(|subject| {
            let value = figures.cell(&subject.id, id)?.figure()?;
            Some(Bar {
                label: subject.label.clone(),
                value: value.max(1e-3),
                ours: subject::find(&subject.id).is_some_and(|subject| subject.door().is_some()),
            })
        })
        .collect();
    bars.sort_by(|a, b| a.value.total_cmp(&b.value));
    let better = if work.figure == Figure::Rate {
        bars.reverse();
        "more is better"
    } else {
        "less is better"
    };
    let title = format!(
        "{}: {}, {better}, logarithmic",
        work.title,
        work.figure.unit()
    );
    (!bars.is_empty()).then_some(Panel {
        title: title.replace('`', ""),
        bars,
    })
}
