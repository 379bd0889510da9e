//! Two kinds of picture as SVG text: bars on a logarithmic scale, and curves on two.

use std::fmt::Write;

use crate::stats::digits;

const FONT: &str = "font-family=\"system-ui, sans-serif\" font-size=\"12\"";
const INK: &str = "#1f2933";
const PALE: &str = "#d5dbe1";
const OURS: &str = "#0f766e";
const THEIRS: &str = "#94a3b8";
const SERIES: [&str; 4] = ["#0f766e", "#b45309", "#4338ca", "#be123c"];

/// One bar.
#[derive(Clone, Debug)]
pub struct Bar {
    /// Its name.
    pub label: String,
    /// Its length, above 0.
    pub value: f64,
    /// Whether it is drawn as ours.
    pub ours: bool,
}

/// Bars under one title.
#[derive(Clone, Debug)]
pub struct Panel {
    /// What is shown, with its unit.
    pub title: String,
    /// From top to bottom.
    pub bars: Vec<Bar>,
}

/// Panels one under the other, each with a logarithmic scale of its own.
pub fn bars(panels: &[Panel]) -> String {
    const WIDTH: f64 = 760.0;
    const NAMES: f64 = 200.0;
    const FIGURES: f64 = 80.0;
    const ROW: f64 = 20.0;
    const HEAD: f64 = 34.0;
    let height: f64 = panels
        .iter()
        .map(|panel| HEAD + ROW * panel.bars.len() as f64)
        .sum::<f64>()
        + 12.0;
    let mut out = open(WIDTH, height);
    let mut y = 0.0;
    for panel in panels {
        text(&mut out, 8.0, y + 22.0, "start", &panel.title, true);
        y += HEAD;
        let values = panel.bars.iter().map(|bar| bar.value);
        let least = values.clone().fold(f64::INFINITY, f64::min);
        let most = values.fold(0.0, f64::max);
        // A third of the smallest is the left edge, so that it is seen, too.
        let left = (least / 3.0).log10();
        let span = (most.log10() - left).max(0.1);
        for bar in &panel.bars {
            let length = (bar.value.log10() - left) / span * (WIDTH - NAMES - FIGURES);
            text(&mut out, NAMES - 8.0, y + 13.0, "end", &bar.label, bar.ours);
            let colour = if bar.ours { OURS } else { THEIRS };
            let _ = writeln!(
                out,
                "<rect x=\"{NAMES}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"14\" rx=\"2\" fill=\"{colour}\"/>",
                y + 2.0
            );
            let figure = digits(bar.value);
            text(
                &mut out,
                NAMES + length + 6.0,
                y + 13.0,
                "start",
                &figure,
                bar.ours,
            );
            y += ROW;
        }
    }
    out + "</svg>\n"
}

/// A curve.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Its name.
    pub label: String,
    /// Its points, above 0 both ways, from left to right.
    pub points: Vec<(f64, f64)>,
}

/// Curves over two logarithmic scales. A dashed line shows what is exactly linear.
pub fn curves(title: &str, across: &str, up: &str, curves: &[Curve]) -> String {
    const WIDTH: f64 = 560.0;
    const HEIGHT: f64 = 360.0;
    const LEFT: f64 = 70.0;
    const RIGHT: f64 = 20.0;
    const TOP: f64 = 44.0;
    const BOTTOM: f64 = 48.0;
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let (x0, x1) = decades(points().map(|point| point.0));
    let (y0, y1) = decades(points().map(|point| point.1));
    let x = |value: f64| LEFT + (value.log10() - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT);
    let y =
        |value: f64| HEIGHT - BOTTOM - (value.log10() - y0) / (y1 - y0) * (HEIGHT - TOP - BOTTOM);
    let mut out = open(WIDTH, HEIGHT);
    text(&mut out, 8.0, 20.0, "start", title, true);
    text(&mut out, 8.0, 38.0, "start", up, false);
    text(&mut out, WIDTH - RIGHT, HEIGHT - 8.0, "end", across, false);
    for decade in whole(x0, x1) {
        let at = 10_f64.powf(decade);
        line(&mut out, (x(at), TOP), (x(at), HEIGHT - BOTTOM), PALE, "");
        text(
            &mut out,
            x(at),
            HEIGHT - BOTTOM + 16.0,
            "middle",
            &tick(at),
            false,
        );
    }
    for decade in whole(y0, y1) {
        let at = 10_f64.powf(decade);
        line(&mut out, (LEFT, y(at)), (WIDTH - RIGHT, y(at)), PALE, "");
        text(&mut out, LEFT - 6.0, y(at) + 4.0, "end", &tick(at), false);
    }
    for (index, curve) in curves.iter().enumerate() {
        let colour = SERIES[index % SERIES.len()];
        if let (Some(first), Some(last)) = (curve.points.first(), curve.points.last()) {
            // Through the last point, for it is the linear part that counts there.
            let from = (first.0.max(last.0 * 10_f64.powf(y0) / last.1), 0.0);
            let start = last.1 * from.0 / last.0;
            let dashes = "stroke-dasharray=\"4 4\"";
            line(
                &mut out,
                (x(from.0), y(start)),
                (x(last.0), y(last.1)),
                colour,
                dashes,
            );
        }
        let path: Vec<String> = curve
            .points
            .iter()
            .map(|point| format!("{:.1},{:.1}", x(point.0), y(point.1)))
            .collect();
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            path.join(" ")
        );
        for point in &curve.points {
            let _ = writeln!(
                out,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/>",
                x(point.0),
                y(point.1)
            );
        }
        let row = TOP + 16.0 + 18.0 * index as f64;
        let _ = writeln!(
            out,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"{colour}\"/>",
            LEFT + 14.0,
            row - 4.0
        );
        text(&mut out, LEFT + 24.0, row, "start", &curve.label, false);
    }
    out + "</svg>\n"
}

/// The whole decades that hold all values, as exponents.
fn decades(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (least, most) = values.fold((f64::INFINITY, 0.0_f64), |(least, most), value| {
        (least.min(value), most.max(value))
    });
    let (low, high) = (least.log10().floor(), most.log10().ceil());
    if low.is_finite() && high.is_finite() {
        (low, high.max(low + 1.0))
    } else {
        (0.0, 1.0)
    }
}

fn whole(from: f64, to: f64) -> impl Iterator<Item = f64> {
    (from as i32..=to as i32).map(f64::from)
}

fn tick(value: f64) -> String {
    match value {
        value if value >= 1e6 => format!("{:.0} M", value / 1e6),
        value if value >= 1e3 => format!("{:.0} k", value / 1e3),
        value if value >= 1.0 => format!("{value:.0}"),
        value => format!("{value}"),
    }
}

fn open(width: f64, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" {FONT}>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    )
}

fn text(out: &mut String, x: f64, y: f64, anchor: &str, text: &str, bold: bool) {
    let weight = if bold { " font-weight=\"600\"" } else { "" };
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{INK}\"{weight}>{text}</text>"
    );
}

fn line(out: &mut String, from: (f64, f64), to: (f64, f64), colour: &str, more: &str) {
    let _ = writeln!(
        out,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\" {more}/>",
        from.0, from.1, to.0, to.1
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_stays_inside_its_frame() {
        let curve = Curve {
            label: "a < b".to_owned(),
            points: vec![(1.0, 20.0), (10.0, 30.0), (100.0, 250.0)],
        };
        let picture = curves("title", "calls", "µs", &[curve]);
        assert!(picture.contains("a &lt; b"));
        for part in picture.split("cx=\"").skip(1) {
            let x: f64 = part.split('"').next().unwrap().parse().unwrap();
            assert!((0.0..=560.0).contains(&x), "{x}");
        }
    }
}
