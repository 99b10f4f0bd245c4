//! How much memory there is, and the peak that the process has used.

use crate::Error;
use dbm_core::Footprint;
use std::fs::read_to_string;
use std::path::Path;

/// The folder in which Linux shows the limits of control groups.
const CGROUPS: &str = "/sys/fs/cgroup";

/// Maximum memory for a model.
pub struct Limit {
    bytes: Option<u128>,
    given: bool,
}

impl Limit {
    /// The user's limit, or else the memory available now, if the machine reports it.
    pub fn new(given: Option<u128>) -> Self {
        Self { bytes: given.or_else(available), given: given.is_some() }
    }

    /// Accepts what fits, or anything if the limit is unknown.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn check(&self, footprint: &Footprint) -> Result<(), Error> {
        let Some(limit) = self.bytes else { return Ok(()) };
        footprint.check(limit).map_err(|refused| Error::Memory {
            refused,
            limit: if self.given {
                "that of --memory-limit"
            } else {
                "the memory that is available here; --memory-limit sets another"
            },
        })
    }
}

/// Bytes still available: the system's available memory or, if less, what the process's control groups still allow.
fn available() -> Option<u128> {
    let system = kibibytes(&read_to_string("/proc/meminfo").ok()?, "MemAvailable:");
    let groups = read_to_string("/proc/self/cgroup").ok().and_then(|groups| allowed(&groups, |path| read_to_string(path).ok()));
    system.map(u128::from).into_iter().chain(groups).min()
}

/// Bytes still allowed by the groups listed in `/proc/self/cgroup`, including their parents: the strictest limit. `None` without limits.
fn allowed(groups: &str, read: impl Fn(&Path) -> Option<String>) -> Option<u128> {
    let mut least = None;
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(group)) = (parts.next(), parts.next()) else { continue };
        let (root, limit, used) = match controllers {
            "" => (Path::new(CGROUPS).to_path_buf(), "memory.max", "memory.current"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                (Path::new(CGROUPS).join("memory"), "memory.limit_in_bytes", "memory.usage_in_bytes")
            }
            _ => continue,
        };
        let number = |path: &Path| read(path)?.trim().parse::<u128>().ok();
        for folder in Path::new(group.trim_start_matches('/')).ancestors() {
            let folder = root.join(folder);
            if let (Some(limit), Some(used)) = (number(&folder.join(limit)), number(&folder.join(used))) {
                // File caches count as used, but are released when memory is needed.
                let stat = read(&folder.join("memory.stat")).unwrap_or_default();
                let files = stat.lines().find_map(|line| line.strip_prefix("inactive_file")?.trim().parse().ok()).unwrap_or(0);
                let left = limit.saturating_sub(used.saturating_sub(files));
                least = Some(least.map_or(left, |least: u128| least.min(left)));
            }
        }
    }
    least
}

/// Parses sizes such as `8G`, `1.5 GB` or `512MiB`: K, M, G and T are powers of 1000, and with an i of 1024.
///
/// # Errors
/// What was expected, and what came.
pub fn parse_bytes(text: &str) -> Result<u128, String> {
    let refused = || format!("expected a size such as 8G, 500M or 1.5GiB, but got {text:?}");
    let trimmed = text.trim();
    let end = trimmed.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(end);
    let unit = unit.trim().to_ascii_lowercase();
    let unit = unit.strip_suffix('b').unwrap_or(&unit);
    let (base, power) = match unit.strip_suffix('i') {
        Some(letter) if !letter.is_empty() => (1024_f64, letter),
        _ => (1000.0, unit),
    };
    let power = ["", "k", "m", "g", "t"].iter().position(|&letter| letter == power).ok_or_else(refused)?;
    let number: f64 = number.parse().map_err(|_| refused())?;
    Ok((number * base.powi(power as i32)) as u128)
}

/// Peak resident memory in bytes, if the system reports it (Linux does, in `/proc/self/status`).
pub fn peak() -> Option<u64> {
    kibibytes(&read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// The entry with this name in such a text, in bytes.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_high_water_mark_or_nothing() {
        let high_water = |text: &str| kibibytes(text, "VmHWM:");
        assert_eq!(high_water("Name:\tdbm\nVmPeak:\t  9 kB\nVmHWM:\t   52344 kB\nVmRSS:\t 1 kB\n"), Some(52344 * 1024));
        assert_eq!(high_water("Name:\tdbm\n"), None);
        assert_eq!(high_water("VmHWM:\tmany kB\n"), None);
        assert_eq!(high_water(&format!("VmHWM:\t{} kB\n", u64::MAX)), None);
    }

    #[test]
    fn the_strictest_group_counts_and_what_files_leave_does_not() {
        let files = |known: &'static [(&str, &str)]| {
            move |path: &Path| known.iter().find(|(name, _)| Path::new(name) == path).map(|(_, text)| (*text).to_string())
        };
        let nested = files(&[
            ("/sys/fs/cgroup/a/b/memory.max", "max\n"),
            ("/sys/fs/cgroup/a/b/memory.current", "50\n"),
            ("/sys/fs/cgroup/a/memory.max", "1000\n"),
            ("/sys/fs/cgroup/a/memory.current", "700\n"),
            ("/sys/fs/cgroup/a/memory.stat", "anon 400\ninactive_file 300\n"),
            ("/sys/fs/cgroup/memory.max", "5000\n"),
            ("/sys/fs/cgroup/memory.current", "4900\n"),
        ]);
        assert_eq!(allowed("0::/a/b\n", nested), Some(100));
        assert_eq!(allowed("0::/a/elsewhere\n", files(&[])), None);
        let old = files(&[
            ("/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "2000\n"),
            ("/sys/fs/cgroup/memory/x/memory.usage_in_bytes", "2500\n"),
        ]);
        assert_eq!(allowed("5:cpu,memory:/x\n4:cpu:/x\n0::/\n", old), Some(0));
        assert_eq!(allowed("nonsense\n4:cpu:/x\n", old), None);
    }

    #[test]
    fn sizes_are_read_as_people_write_them() {
        let read = |text| parse_bytes(text).unwrap();
        assert_eq!(
            [read("8G"), read("1.5 GB"), read("512MiB"), read("2k"), read("77")],
            [8_000_000_000, 1_500_000_000, 512 << 20, 2000, 77]
        );
        for nonsense in ["", "G", "8X", "-1G", "1..5G", "8 G G", "iB"] {
            assert!(parse_bytes(nonsense).unwrap_err().contains("8G"), "{nonsense:?}");
        }
    }
}
