//! Columns of two values that exclude one another, such as one column for each level of a value.

use crate::visible::{Column, ColumnKind, Columns, Visible};
use crate::{DataError, Dataset};
use dbm_core::{Examples, Group};

/// Columns are taken to exclude one another if the chance that no row has two of them high, were they independent, is below this.
const CHANCE: f64 = 1e-6;

impl Dataset {
    /// The same table with groups of columns that exclude one another, each group where its first column was. A group begins with the column
    /// that is high most often among those left. A column joins it if no row has both high, and if that would hardly happen by chance; the
    /// least probable by chance joins first. A model then knows that at most one of a group is high, but not that exactly one is.
    ///
    /// ```
    /// use dbm_core::Group;
    /// use dbm_data::columns::Table;
    /// use dbm_data::raw::{Encoding, Visible};
    /// let rows = ["1,0,0\n", "0,1,1\n", "1,1,0\n", "0,0,1\n"].concat();
    /// let table = Table::read("x.csv", &format!("cat,old,dog\n{}", rows.repeat(30)))?;
    /// let data = table.encode("x.csv", &Encoding::default())?.exclusive()?;
    /// assert_eq!(data.examples.groups()[..], [Group::at_most_one(0..2)]);
    /// let Some(Visible::Table(columns)) = data.visible else { panic!("a table") };
    /// assert_eq!(columns.columns.iter().map(|column| &column.name[..]).collect::<Vec<_>>(), ["cat", "dog", "old"]);
    /// # Ok::<(), dbm_data::DataError>(())
    /// ```
    ///
    /// # Errors
    /// [`DataError::Format`] for anything but a table.
    pub fn exclusive(self) -> Result<Self, DataError> {
        let Some(Visible::Table(columns)) = &self.visible else {
            return Err(DataError::format(
                &self.name,
                "a table, whose columns could exclude one another",
                "these are pictures, or rows of bits without names",
                "leave --exclusive out",
            ));
        };
        let of_two = columns.with_units().filter(|(_, column, _)| matches!(column.kind, ColumnKind::Binary { .. }));
        let of_two: Vec<(usize, usize)> = of_two.map(|(at, _, units)| (at, units.start)).collect();
        let rows: Vec<Rows> = of_two.iter().map(|&(_, unit)| Rows::of(&self.examples, unit)).collect();
        let together: Vec<Vec<usize>> =
            found(&rows, self.examples.len()).into_iter().map(|group| group.into_iter().map(|k| of_two[k].0).collect()).collect();
        let columns = side_by_side(columns, &together);
        let examples = self.examples_of(&columns.1).and_then(|examples| examples.with_groups(columns.0.groups()));
        let examples = examples.map_err(DataError::refused(&self.name))?;
        Ok(Self { examples, image: None, visible: Some(Visible::Table(columns.0)), ..self })
    }

    /// The examples with their units in another order.
    fn examples_of(&self, units: &[usize]) -> Result<Examples, dbm_core::DbmError> {
        let rows = 0..self.examples.len();
        let ordered = |row: Vec<u8>| units.iter().map(move |&unit| row[unit]).collect::<Vec<u8>>();
        let bits: Vec<u8> = rows.clone().flat_map(|row| ordered(self.examples.row(row))).collect();
        let examples = Examples::from_bits(units.len(), &bits)?;
        if !self.examples.has_gaps() {
            return Ok(examples);
        }
        let known = |row| self.examples.known_row(row).into_iter().map(u8::from).collect();
        examples.with_gaps(&rows.flat_map(|row| ordered(known(row))).collect::<Vec<u8>>())
    }
}

/// The rows in which a column is high, one bit each.
struct Rows {
    words: Vec<u64>,
    count: usize,
}

impl Rows {
    fn of(examples: &Examples, unit: usize) -> Self {
        let mut words = vec![0; examples.len().div_ceil(64)];
        let high = (0..examples.len()).filter(|&row| examples.bit(row, unit) && examples.is_known(row, unit));
        high.for_each(|row| words[row / 64] |= 1_u64 << (row % 64));
        Self { count: words.iter().map(|word| word.count_ones() as usize).sum(), words }
    }

    fn misses(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).all(|(a, b)| a & b == 0)
    }

    fn add(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a |= b);
        self.count += other.count;
    }
}

/// Groups of columns that exclude one another, each in rising order.
fn found(columns: &[Rows], rows: usize) -> Vec<Vec<usize>> {
    let mut left: Vec<usize> = (0..columns.len()).filter(|&column| columns[column].count > 0).collect();
    left.sort_by_key(|&column| std::cmp::Reverse(columns[column].count));
    let mut groups = Vec::new();
    while let Some(&first) = left.first() {
        let (mut group, mut union) = (vec![first], Rows { words: columns[first].words.clone(), count: columns[first].count });
        left.remove(0);
        loop {
            let candidates = left.iter().filter(|&&column| columns[column].misses(&union));
            let chances = candidates.map(|&column| (log_chance(rows, union.count, columns[column].count), column));
            let next = chances.min_by(|a, b| a.0.total_cmp(&b.0)).filter(|(chance, _)| *chance < libm::log(CHANCE));
            let Some((_, column)) = next else { break };
            union.add(&columns[column]);
            group.push(column);
            left.retain(|&other| other != column);
        }
        group.sort_unstable();
        groups.push(group);
    }
    groups.retain(|group| group.len() > 1);
    groups
}

/// The log of the probability that two sets of this many of all rows have none in common: `(n-a)! (n-b)! / (n! (n-a-b)!)`.
fn log_chance(rows: usize, a: usize, b: usize) -> f64 {
    let log_factorial = |n: usize| libm::lgamma(n as f64 + 1.0);
    log_factorial(rows - a) + log_factorial(rows - b) - log_factorial(rows) - log_factorial(rows - a - b)
}

/// The columns, with each group where its first column is; and for each of their units, its number before.
fn side_by_side(columns: &Columns, groups: &[Vec<usize>]) -> (Columns, Vec<usize>) {
    let of = |at: usize| groups.iter().find(|group| group.contains(&at));
    let order = (0..columns.columns.len()).flat_map(|at| match of(at) {
        Some(group) if group[0] == at => group.clone(),
        Some(_) => vec![],
        None => vec![at],
    });
    let ranges: Vec<_> = columns.with_units().map(|(at, _, units)| (at, units)).collect();
    let (mut units, mut exclusive) = (Vec::new(), Vec::new());
    let mut ordered: Vec<Column> = Vec::new();
    for at in order {
        if let Some(group) = of(at).filter(|group| group[0] == at) {
            exclusive.push(Group::at_most_one(units.len()..units.len() + group.len()));
        }
        units.extend(ranges.iter().find(|range| range.0 == at).map_or(0..0, |range| range.1.clone()));
        ordered.push(columns.columns[at].clone());
    }
    (Columns { columns: ordered, exclusive }, units)
}

/// Accepts examples whose exclusive columns are at levels, as far as they are known.
///
/// # Errors
/// [`DataError::Format`] for the first row in which one is at none.
pub(crate) fn at_levels(name: &str, examples: &Examples, columns: &Columns) -> Result<(), DataError> {
    let groups = &columns.exclusive;
    for row in (0..examples.len()).filter(|_| !groups.is_empty()) {
        let (bits, known) = (examples.row(row), examples.known_row(row));
        let high = |group: &Group| group.units.clone().filter(|&unit| bits[unit] == 1 && known[unit]).collect::<Vec<usize>>();
        if let Some(high) = groups.iter().map(high).find(|high| high.len() > 1) {
            let of = |unit: usize| {
                columns.with_units().find(|(_, _, units)| units.start == unit).map_or("", |(_, column, _)| &column.name)
            };
            return Err(DataError::format(
                name,
                format!(
                    "{:?} and {:?} to exclude one another, as in the table that the model was trained on",
                    of(high[0]),
                    of(high[1])
                ),
                format!("both are high in row {}", row + 1),
                "leave the row out, or train a model without --exclusive",
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::Table;
    use crate::raw::Encoding;

    /// Two values of three columns each, taken in turn, among columns of their own, with a gap now and then.
    fn table(head: &str) -> Table {
        let cell = |high: bool| if high { "1" } else { "0" };
        let row = |row: usize| {
            let (one, other) = (row * 7 % 3, row * row % 4);
            let own = cell(row.is_multiple_of(5) || row % 3 == 1);
            let gap = if row.is_multiple_of(11) { "" } else { cell(other == 1) };
            [cell(one == 0), own, cell(other == 0), cell(one == 1), gap, cell(one == 2)].join(",") + "\n"
        };
        let text: String = std::iter::once(head.to_string()).chain((0..200).map(row)).collect();
        Table::read("x.csv", &text).unwrap()
    }

    #[test]
    fn what_excludes_one_another_is_found_and_read_again_as_it_was() {
        for head in ["", "a,b,c,d,e,f\n"] {
            let table = table(head);
            let data = table.encode("x.csv", &Encoding::default()).unwrap().exclusive().unwrap();
            let Some(Visible::Table(columns)) = &data.visible else { panic!("a table") };
            assert_eq!(columns.exclusive, [Group::at_most_one(0..3), Group::at_most_one(4..6)]);
            assert_eq!(table.encode_as("x.csv", columns).unwrap(), data);
        }
    }
}
