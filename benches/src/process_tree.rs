//! What a process and its descendants used: CPU time by their clocks, private memory by `/proc`.

use std::fs;
use std::time::Duration;

use nix::time::ClockId;
use nix::unistd::Pid;

/// Length of a clock tick in `/proc`, in nanoseconds: Linux always tells user space 100 Hz.
const TICK_NANOS: u64 = 10_000_000;

/// A process and all its descendants, as they are now.
pub fn members(root: u32) -> Vec<u32> {
    let mut parents = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        if let Some(fields) = stat(pid) {
            let parent: u32 = fields
                .get(1)
                .and_then(|field| field.parse().ok())
                .unwrap_or(0);
            parents.push((pid, parent));
        }
    }
    let mut tree = vec![root];
    let mut next = 0;
    while let Some(&parent) = tree.get(next) {
        tree.extend(
            parents
                .iter()
                .filter(|(_, of)| *of == parent)
                .map(|(pid, _)| *pid),
        );
        next += 1;
    }
    tree
}

/// The fields of `/proc/PID/stat` after the name: state, parent, …
fn stat(pid: u32) -> Option<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let after_name = text.rsplit_once(')')?.1;
    Some(after_name.split_whitespace().map(str::to_owned).collect())
}

/// User and system time of the tree. Living processes are read to the nanosecond; children that have ended to some 10 ms, in
/// all and not each.
pub fn cpu_time(root: u32) -> Duration {
    let mut total = Duration::ZERO;
    for pid in members(root) {
        let raw = i32::try_from(pid).unwrap_or(i32::MAX);
        if let Ok(spent) =
            ClockId::pid_cpu_clock_id(Pid::from_raw(raw)).and_then(|clock| clock.now())
        {
            total += Duration::from(spent);
        }
        if let Some(fields) = stat(pid) {
            // Time of children that were waited for, user and system.
            for field in fields.iter().skip(13).take(2) {
                total += Duration::from_nanos(field.parse::<u64>().unwrap_or(0) * TICK_NANOS);
            }
        }
    }
    total
}

/// Bytes that only this tree holds in memory.
pub fn private_bytes(root: u32) -> u64 {
    members(root)
        .into_iter()
        .map(|pid| private_bytes_of(&pid.to_string()))
        .sum()
}

/// Bytes that only one process holds; `self` is this one.
pub fn private_bytes_of(pid: &str) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    text.lines()
        .filter(|line| line.starts_with("Private_"))
        .filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok())
        .sum::<u64>()
        * 1024
}
