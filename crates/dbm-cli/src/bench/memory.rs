//! How much memory the process has held at most.

/// Peak resident memory in bytes, where the system says (Linux does, in `/proc/self/status`).
pub fn peak() -> Option<u64> {
    high_water(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// `VmHWM` of such a text.
fn high_water(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_high_water_mark_or_nothing() {
        assert_eq!(high_water("Name:\tdbm\nVmPeak:\t  9 kB\nVmHWM:\t   52344 kB\nVmRSS:\t 1 kB\n"), Some(52344 * 1024));
        assert_eq!(high_water("Name:\tdbm\n"), None);
        assert_eq!(high_water("VmHWM:\tmany kB\n"), None);
        assert_eq!(high_water(&format!("VmHWM:\t{} kB\n", u64::MAX)), None);
    }
}
