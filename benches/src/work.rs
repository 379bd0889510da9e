//! The works of the comparison: what is run, what it must return, and how its figure is read.

use lockgate::code_runtime::CodeLanguage;

/// One kind of work.
#[derive(Debug)]
pub struct Work {
    /// Its name in the protocol; the program's file is called so, too.
    pub id: &'static str,
    /// What it is, for people.
    pub title: &'static str,
    /// What the figure is.
    pub figure: Figure,
    /// Parts of one iteration, for a figure per part.
    pub parts: u32,
    /// What the program returns; none where the drivers check it by themselves.
    pub value: Option<f64>,
    javascript: Option<&'static str>,
    typescript: Option<&'static str>,
    python: Option<&'static str>,
}

/// What is read off a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// CPU time per part, in µs.
    CpuMicros,
    /// CPU time per part, in ms.
    CpuMillis,
    /// Time that passes beyond what the host alone takes for the same, in ms.
    WallOverHost,
    /// How late a stop comes, in ms; beside it how long the host was silent.
    Late,
    /// Private memory per live run, in MB.
    Memory,
    /// Runs a second.
    Rate,
}

impl Figure {
    /// The unit, as the table has it.
    pub fn unit(self) -> &'static str {
        match self {
            Figure::CpuMicros => "µs CPU",
            Figure::CpuMillis => "ms CPU",
            Figure::WallOverHost => "ms wall beyond the host's own",
            Figure::Late => "ms late (ms silent)",
            Figure::Memory => "MB private",
            Figure::Rate => "runs/s",
        }
    }
}

impl Work {
    /// The program of this work in a language.
    pub fn program(&self, language: CodeLanguage) -> Option<&'static str> {
        match language {
            CodeLanguage::JavaScript => self.javascript,
            CodeLanguage::TypeScript => self.typescript,
            CodeLanguage::Python => self.python,
        }
    }
}

/// The work of a name.
pub fn find(id: &str) -> Option<&'static Work> {
    WORKS.iter().find(|work| work.id == id)
}

macro_rules! program {
    ($file:literal) => {
        Some(include_str!(concat!("../programs/", $file)))
    };
}

const NONE: Work = Work {
    id: "",
    title: "",
    figure: Figure::CpuMicros,
    parts: 1,
    value: None,
    javascript: None,
    typescript: None,
    python: None,
};

/// All works, in the order of the table.
pub const WORKS: &[Work] = &[
    Work {
        id: "p1",
        title: "P1 fresh sandbox, `return 1 + 1`, dispose",
        value: Some(2.0),
        javascript: program!("p1.js"),
        python: program!("p1.py"),
        ..NONE
    },
    Work {
        id: "p1_lines",
        title: "P1 the same with 50 lines (TypeScript; Python)",
        value: Some(362.0),
        typescript: program!("p1_lines.ts"),
        python: program!("p1_lines.py"),
        ..NONE
    },
    Work {
        id: "p2",
        title: "P2 a sub-call, one after the other (of 10,000)",
        parts: 10_000,
        value: Some(10_000.0),
        javascript: program!("p2.js"),
        python: program!("p2.py"),
        ..NONE
    },
    Work {
        id: "p3",
        title: "P3 a sub-call, all at one time (of 10,000)",
        parts: 10_000,
        value: Some(10_000.0),
        javascript: program!("p3.js"),
        python: program!("p3.py"),
        ..NONE
    },
    Work {
        id: "p4",
        title: "P4 100 calls of 10 ms in 10 lanes",
        figure: Figure::WallOverHost,
        value: Some(100.0),
        javascript: program!("p4.js"),
        python: program!("p4.py"),
        ..NONE
    },
    Work {
        id: "p5a",
        title: "P5a one JSON result of 1.1 MB, read through",
        figure: Figure::CpuMillis,
        javascript: program!("p5a.js"),
        python: program!("p5a.py"),
        ..NONE
    },
    Work {
        id: "p5b",
        title: "P5b parse and stringify 1.1 MB inside",
        figure: Figure::CpuMillis,
        value: Some(5400.0),
        javascript: program!("p5b.js"),
        python: program!("p5b.py"),
        ..NONE
    },
    Work {
        id: "p6_fib",
        title: "P6 fib(27)",
        figure: Figure::CpuMillis,
        value: Some(196_418.0),
        javascript: program!("p6_fib.js"),
        python: program!("p6_fib.py"),
        ..NONE
    },
    Work {
        id: "p6_loop",
        title: "P6 loop of 5 million",
        figure: Figure::CpuMillis,
        value: Some(237_368.0),
        javascript: program!("p6_loop.js"),
        python: program!("p6_loop.py"),
        ..NONE
    },
    Work {
        id: "p6_sort",
        title: "P6 sort 200,000 numbers",
        figure: Figure::CpuMillis,
        value: Some(1_587_646.0),
        javascript: program!("p6_sort.js"),
        python: program!("p6_sort.py"),
        ..NONE
    },
    Work {
        id: "p6_regex",
        title: "P6 regular expression over 1 MB",
        figure: Figure::CpuMillis,
        value: Some(220_200.0),
        javascript: program!("p6_regex.js"),
        python: program!("p6_regex.py"),
        ..NONE
    },
    Work {
        id: "p7",
        title: "P7 stop of `while (true)` at 100 ms",
        figure: Figure::Late,
        javascript: program!("p7.js"),
        python: program!("p7.py"),
        ..NONE
    },
    Work {
        id: "p8_100",
        title: "P8 a paused run, of 100 live ones",
        figure: Figure::Memory,
        javascript: program!("p8.js"),
        python: program!("p8.py"),
        ..NONE
    },
    Work {
        id: "p8_1000",
        title: "P8 a paused run, of 1,000 live ones",
        figure: Figure::Memory,
        javascript: program!("p8.js"),
        python: program!("p8.py"),
        ..NONE
    },
    Work {
        id: "p9",
        title: "P9 runs of P1 on all cores",
        figure: Figure::Rate,
        javascript: program!("p1.js"),
        python: program!("p1.py"),
        ..NONE
    },
];

/// Rows of the report.
const ROWS: u32 = 3850;

/// The JSON value that the tool `report` gives: 1.1 MB of rows, as a tool of a shop would.
pub fn report() -> serde_json::Value {
    let rows: Vec<serde_json::Value> = (0..ROWS)
        .map(|i| {
            serde_json::json!({
                "id": i,
                "sku": format!("SKU-{:08x}", i.wrapping_mul(2_654_435_761)),
                "name": format!("Product {} of the {} series", i % 97, ["north", "south", "east", "west"][i as usize % 4]),
                "price": f64::from(i % 1000) + 0.25 * f64::from(i % 4),
                "quantity": i % 17,
                "available": i % 3 != 0,
                "tags": ["red", "small", if i % 2 == 0 { "sale" } else { "new" }],
                "supplier": { "name": format!("Supplier {}", i % 50), "rating": f64::from(i % 50) / 10.0, "note": null },
                "description": "A short line about this product, as it stands in the catalogue.",
            })
        })
        .collect();
    serde_json::json!({ "rows": rows })
}

/// What the program of P5a makes of [`report`].
pub fn report_sum() -> f64 {
    (0..ROWS)
        .map(|i| (f64::from(i % 1000) + 0.25 * f64::from(i % 4)) * f64::from(i % 17))
        .sum::<f64>()
        .round()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_has_the_size_that_the_table_says() {
        let bytes = report().to_string().len();
        assert!((1_050_000..1_150_000).contains(&bytes), "{bytes}");
    }
}
