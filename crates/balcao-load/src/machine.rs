//! The machine that figures were measured on.

/// In words: processor, cores, memory, load, and how this program was built.
pub(crate) fn description() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let cpuinfo = read("/proc/cpuinfo");
    let model = cpuinfo.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let memory = kib(&read("/proc/meminfo"), "MemTotal:").map_or(0, |kib| kib / 1_048_576);
    let load = read("/proc/loadavg");
    format!(
        "{} on {}: {}, {cores} cores, {memory} GiB, load {}",
        std::env::consts::ARCH,
        std::env::consts::OS,
        model.map_or("an unknown processor", |(_, name)| name),
        load.split(' ').next().unwrap_or("unknown"),
    )
}

/// How this program was built.
pub(crate) const fn profile() -> &'static str {
    if cfg!(debug_assertions) { "debug" } else { "release" }
}

/// How much memory this process holds, in KiB; 0 where that cannot be told.
pub(crate) fn resident_kib() -> u64 {
    kib(&std::fs::read_to_string("/proc/self/status").unwrap_or_default(), "VmRSS:").unwrap_or(0)
}

fn kib(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}
