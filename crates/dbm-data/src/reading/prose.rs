//! Whether a text is a table or prose: an archive often holds a description next to its table.

use crate::columns::Separator;

/// The share of lines that have the usual number of cells in a table.
const ALIKE: f64 = 0.9;

/// The number of cells in a text that is a table: most of its lines are cut into equally many cells, two or more. `None` for prose.
pub(super) fn cells(text: &str) -> Option<usize> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with(['#', '%'])).collect();
    let separator = Separator::of(text);
    let count = |line: &&str| match separator {
        Separator::Byte(byte) => line.bytes().filter(|&other| other == byte).count() + 1,
        Separator::Blanks => line.split_ascii_whitespace().count(),
    };
    let mut counts: Vec<usize> = lines.iter().map(count).collect();
    counts.sort_unstable();
    let usual = *counts.get(counts.len() / 2)?;
    let alike = counts.iter().filter(|&&count| count == usual).count();
    // Words of a sentence are no cells.
    let sentence = separator == Separator::Blanks && lines.iter().any(|line| line.ends_with(['.', ':']));
    (usual > 1 && counts.len() > 1 && alike as f64 >= ALIKE * counts.len() as f64 && !sentence).then_some(usual * counts.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_told_from_descriptions() {
        assert_eq!(cells("a,b\n1,2\n3,4\n"), Some(6));
        assert_eq!(cells("1. Title: Fungi, edible or not\n2. Sources:\n   (a) a book, of 1981\n"), None);
        assert_eq!(cells("0 1\n1 1\n"), Some(4));
        assert_eq!(cells("Two words.\nTwo more.\n"), None);
        assert_eq!(cells(""), None);
    }
}
