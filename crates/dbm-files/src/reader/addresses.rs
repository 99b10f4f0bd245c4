//! Where data may be fetched from. The page's Content-Security-Policy in `index.html` lists the same hosts; a test checks this.

/// A file of MNIST: name, bytes unpacked, and their SHA-256.
pub struct AddressPart {
    /// Name, without `.gz`.
    pub name: &'static str,
    /// Bytes of the IDX file.
    pub size: usize,
    /// SHA-256 of the IDX file, in hexadecimal: the packed files differ between mirrors.
    pub sha256: &'static str,
}

/// The training images of MNIST and their labels.
pub const MNIST: [AddressPart; 2] = [
    AddressPart {
        name: "train-images-idx3-ubyte",
        size: 47_040_016,
        sha256: "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    },
    AddressPart {
        name: "train-labels-idx1-ubyte",
        size: 60_008,
        sha256: "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
    },
];

/// Folders with the gzipped files of MNIST, tried in turn. A folder next to the page comes first, so that anyone who hosts the page can
/// host the data.
pub const MIRRORS: [&str; 5] = [
    "data/mnist/",
    "https://cdn.jsdelivr.net/gh/fgnt/mnist@master/",
    "https://raw.githubusercontent.com/fgnt/mnist/master/",
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
];

/// Hosts that `?data=…` may name, in addition to the page's own. All of them let other origins read.
pub const HOSTS: [&str; 9] = [
    "https://cdn.jsdelivr.net",
    "https://raw.githubusercontent.com",
    "https://ossci-datasets.s3.amazonaws.com",
    "https://storage.googleapis.com",
    "https://gist.githubusercontent.com",
    "https://huggingface.co",
    "https://zenodo.org",
    "https://archive.ics.uci.edu",
    "https://www.openml.org",
];

/// Hosts to which those redirect.
pub const BEHIND: [&str; 4] =
    ["https://cas-bridge.xethub.hf.co", "https://cdn-lfs.hf.co", "https://cdn-lfs-us-1.hf.co", "https://cdn-lfs.huggingface.co"];

/// The address of a file itself, if this is that of a site's page about it, as people copy it.
///
/// ```text
/// https://github.com/o/r/blob/main/x.csv            -> https://raw.githubusercontent.com/o/r/main/x.csv
/// https://gist.github.com/o/0123abcd                -> https://gist.githubusercontent.com/o/0123abcd/raw
/// https://huggingface.co/datasets/o/r/blob/main/x   -> https://huggingface.co/datasets/o/r/resolve/main/x
/// ```
pub fn of_file(address: &str) -> String {
    let parts: Vec<&str> = address.split('/').collect();
    match parts[..] {
        ["https:", "", "github.com", owner, repository, "blob" | "raw", ref path @ ..] if !path.is_empty() => {
            format!("https://raw.githubusercontent.com/{owner}/{repository}/{}", path.join("/"))
        }
        ["https:", "", "gist.github.com", owner, gist] => format!("https://gist.githubusercontent.com/{owner}/{gist}/raw"),
        ["https:", "", "huggingface.co", "datasets", owner, name, "blob", ref path @ ..] => {
            format!("https://huggingface.co/datasets/{owner}/{name}/resolve/{}", path.join("/"))
        }
        _ => address.into(),
    }
}

/// Checks that an address may be fetched: one on the page's own host, or on a listed host.
///
/// # Errors
/// Which hosts are allowed, and what to do instead.
pub fn allowed(address: &str, page: &str) -> Result<(), String> {
    let origin = |address: &str| address.splitn(4, '/').take(3).collect::<Vec<_>>().join("/");
    if origin(address) == origin(page) || HOSTS.contains(&origin(address).as_str()) {
        return Ok(());
    }
    let hosts: Vec<&str> = HOSTS.iter().map(|host| host.trim_start_matches("https://")).collect();
    Err(format!(
        "{}: this page may fetch data from its own host and from {} only; download the file and drop it here",
        shown(address),
        hosts.join(", ")
    ))
}

/// An address, cut to a readable length.
pub fn shown(address: &str) -> String {
    let short: String = address.chars().take(120).map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect();
    if short.len() < address.len() { format!("{short}…") } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_hosts_are_asked() {
        let page = "https://lab.example/dbm/";
        assert!(allowed("https://lab.example/x.csv", page).is_ok());
        assert!(allowed("https://zenodo.org/records/1/files/x.npy", page).is_ok());
        for bad in [
            "https://zenodo.org.evil.example/x",
            "http://zenodo.org/x",
            "https://other.example/x",
            "javascript:alert(1)",
            "file:///etc/passwd",
        ] {
            let message = allowed(bad, page).unwrap_err();
            assert!(message.contains("zenodo.org") && message.contains("drop it here"), "{message}");
        }
    }

    #[test]
    fn pages_about_files_lead_to_the_files() {
        let same = "https://zenodo.org/records/1/files/x.csv";
        for (given, file) in [
            ("https://github.com/o/r/blob/main/a/x.csv", "https://raw.githubusercontent.com/o/r/main/a/x.csv"),
            ("https://github.com/o/r/raw/v1/x.csv", "https://raw.githubusercontent.com/o/r/v1/x.csv"),
            ("https://gist.github.com/o/0123abcd", "https://gist.githubusercontent.com/o/0123abcd/raw"),
            ("https://huggingface.co/datasets/o/r/blob/main/x.csv", "https://huggingface.co/datasets/o/r/resolve/main/x.csv"),
            (same, same),
            ("https://github.com/o/r", "https://github.com/o/r"),
            ("", ""),
        ] {
            assert_eq!(of_file(given), file);
        }
    }

    #[test]
    fn the_page_lets_exactly_these_hosts_be_asked() {
        let page = include_str!("../../../../index.html");
        let policy = page.split("connect-src ").nth(1).and_then(|rest| rest.split([';', '"']).next()).expect("a policy");
        let listed: Vec<&str> = policy.split_whitespace().collect();
        let expected: Vec<&str> = ["'self'"].into_iter().chain(HOSTS).chain(BEHIND).collect();
        assert_eq!(listed, expected);
        for mirror in &MIRRORS[1..] {
            assert!(allowed(mirror, "").is_ok(), "{mirror}");
        }
    }
}
