//! Lists of dimensions, such as `1,2,5,10..200:10`.

use std::str::FromStr;

/// Increasing, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dimensions(pub Vec<usize>);

/// Larger numbers are not dimensions, and are refused before a list of them is created.
const LARGEST: usize = 400;

impl FromStr for Dimensions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut all = text.split(',').map(part).collect::<Result<Vec<_>, _>>()?.concat();
        all.sort_unstable();
        all.dedup();
        Ok(Self(all))
    }
}

fn part(text: &str) -> Result<Vec<usize>, String> {
    let number = |text: &str| match text.trim().parse() {
        Ok(number) if (1..=LARGEST).contains(&number) => Ok(number),
        _ => Err(format!("expected numbers from 1 to {LARGEST} and ranges as 1..200 or 10..200:10, but got {text:?}")),
    };
    let Some((first, rest)) = text.split_once("..") else { return Ok(vec![number(text)?]) };
    let (last, step) = rest.split_once(':').unwrap_or((rest, "1"));
    let (first, last, step) = (number(first)?, number(last)?, number(step)?);
    if first > last {
        return Err(format!("expected a range that rises, but got {text:?}"));
    }
    Ok((first..=last).step_by(step).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges_are_read_and_nonsense_is_refused() {
        let read = |text: &str| text.parse::<Dimensions>().map(|dimensions| dimensions.0);
        assert_eq!(read("5,1..3"), Ok(vec![1, 2, 3, 5]));
        assert_eq!(read("10..35:10, 20"), Ok(vec![10, 20, 30]));
        assert_eq!(read("1..200").map(|all| all.len()), Ok(200));
        for nonsense in ["", "0", "401", "3..1", "1..9:0", "a", "1...3", "1..2..3", "-1", "1..99999999999"] {
            assert!(read(nonsense).is_err(), "{nonsense}");
        }
    }
}
