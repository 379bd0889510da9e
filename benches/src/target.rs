//! What is aimed at: ratios to peers in the same run, and bounds.

/// One aim.
#[derive(Debug)]
pub struct Target {
    /// The work of ours.
    pub work: &'static str,
    /// The subject of ours.
    pub ours: &'static str,
    /// What it is held against.
    pub against: Against,
    /// The bound on the ratio or the figure.
    pub bound: Bound,
}

/// What a figure is held against.
#[derive(Clone, Copy, Debug)]
pub enum Against {
    /// A figure of a peer: its subject and its work.
    Peer(&'static str, &'static str),
    /// A figure by itself.
    Alone,
}

/// Which side is good.
#[derive(Clone, Copy, Debug)]
pub enum Bound {
    /// At most this.
    AtMost(f64),
    /// At least this.
    AtLeast(f64),
}

impl Bound {
    /// Whether a figure is within the bound.
    pub fn holds(self, figure: f64) -> bool {
        match self {
            Bound::AtMost(most) => figure <= most,
            Bound::AtLeast(least) => figure >= least,
        }
    }
}

const fn ratio(work: &'static str, peer: &'static str, most: f64) -> Target {
    Target {
        work,
        ours: "lockgate",
        against: Against::Peer(peer, work),
        bound: Bound::AtMost(most),
    }
}

const fn alone(work: &'static str, most: f64) -> Target {
    Target {
        work,
        ours: "lockgate",
        against: Against::Alone,
        bound: Bound::AtMost(most),
    }
}

/// All aims, in the order of the works.
pub const TARGETS: &[Target] = &[
    ratio("p1", "monty", 0.15),
    ratio("p1", "quickjs-emscripten", 0.12),
    Target {
        against: Against::Peer("monty", "p1"),
        ..ratio("p1_lines", "monty", 0.7)
    },
    ratio("p2", "isolated-vm", 0.6),
    ratio("p3", "isolated-vm", 1.0),
    alone("p4", 3.0),
    ratio("p5a", "isolated-vm", 1.3),
    ratio("p5b", "quickjs-emscripten", 1.0),
    ratio("p6_fib", "quickjs-emscripten", 1.2),
    ratio("p6_loop", "quickjs-emscripten", 1.2),
    ratio("p6_sort", "quickjs-emscripten", 1.2),
    ratio("p6_regex", "quickjs-emscripten", 1.2),
    alone("p7", 10.0),
    alone("p8_100", 0.15),
    alone("p8_1000", 0.15),
    Target {
        bound: Bound::AtLeast(3.0),
        ..ratio("p9", "monty", 3.0)
    },
];
