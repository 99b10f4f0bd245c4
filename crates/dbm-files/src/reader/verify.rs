//! Checks that a file from a mirror is the original.

use super::addresses::AddressPart;
use dbm_data::unpack;
use sha2::{Digest, Sha256};

/// The unpacked file, if its size and SHA-256 are those of the original.
///
/// # Errors
/// What is wrong with it, in words; `from` names its source.
pub fn unpacked(part: &AddressPart, from: &str, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let content = unpack(part.name, bytes, part.size + 1).map_err(|error| error.to_string())?;
    if content.len() != part.size {
        let got = if content.len() > part.size { "got more".into() } else { format!("got {}", content.len()) };
        return Err(format!("{} from {from}: {} bytes were expected, but {got}", part.name, part.size));
    }
    if !content.starts_with(&[0, 0, 8]) {
        return Err(format!("{} from {from}: an IDX file was expected, but it begins with {:?}", part.name, &content[..4]));
    }
    let sum = Sha256::digest(&content).iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    if sum == part.sha256 {
        Ok(content)
    } else {
        Err(format!("{} from {from}: its SHA-256 is {sum} instead of {}", part.name, part.sha256))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_very_file_is_taken() {
        let content = b"\0\0\x08\x01\0\0\0\x02ab";
        let part =
            AddressPart { name: "labels", size: 10, sha256: "7e1b4c1c9d2c8fd2d0c8a9d8be2d4b4a1e4f9a4a4c8f7f0e6d5b2f3a1c0d9e8f" };
        let right = Sha256::digest(content).iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
        let message = unpacked(&part, "here", content).unwrap_err();
        assert!(message.contains(&right) && message.contains("labels from here"), "{message}");
        let part = AddressPart { sha256: Box::leak(right.into_boxed_str()), ..part };
        assert_eq!(unpacked(&part, "here", content).unwrap(), content);
        assert!(unpacked(&part, "here", &content[..9]).unwrap_err().contains("10 bytes were expected, but got 9"));
        assert!(unpacked(&part, "here", &[&content[..], b"c"].concat()).unwrap_err().contains("got more"));
        assert!(unpacked(&part, "here", b"<!doctype>").unwrap_err().contains("an IDX file was expected"));
    }
}
