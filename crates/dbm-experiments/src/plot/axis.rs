//! The axes of a plot: their ranges, round ticks, and labels.

/// An axis: its range and the positions of its ticks.
pub(super) struct Axis {
    log: bool,
    /// Its ends; on a logarithmic axis, their logarithms to base 10.
    low: f64,
    high: f64,
    ticks: Vec<f64>,
    /// Decimals of the tick labels; `None` if each takes as many as it needs.
    decimals: Option<usize>,
}

impl Axis {
    /// Covers all of these values, with margins at both ends as a share of their extent; on a logarithmic axis they are above 0.
    pub(super) fn over(values: impl Iterator<Item = f64>, log: bool, room: f64) -> Self {
        let (low, high) = extent(values.map(|value| if log { value.log10() } else { value }));
        let room = room * (high - low);
        if log { Self::logarithmic(low - room, high + room) } else { Self::linear(low - room, high + room) }
    }

    /// From `low` to `high`; on a logarithmic axis (whose ends are above 0) equal factors are equal distances.
    pub(super) fn between(low: f64, high: f64, log: bool) -> Self {
        if log { Self::logarithmic(low.log10(), high.log10()) } else { Self::linear(low, high) }
    }

    /// The positions of its ticks, from 0 to 1, and their labels.
    pub(super) fn marks(&self) -> impl Iterator<Item = (f64, String)> {
        // Powers of ten, and 2 and 5 times them, need one decimal for each power below 1.
        let needed = |tick: f64| (-tick.log10() - 1e-9).ceil().max(0.0) as usize;
        self.ticks.iter().map(move |&tick| (self.share(tick), number(tick, self.decimals.unwrap_or_else(|| needed(tick)))))
    }

    fn linear(low: f64, high: f64) -> Self {
        let step = round_step((high - low) / 6.0);
        let first = (low / step - 1e-9).ceil();
        let ticks = (0..20).map(|i| (first + f64::from(i)) * step).take_while(|&tick| tick <= high + 1e-9 * step).collect();
        let decimals = Some((-step.log10().floor()).clamp(0.0, 300.0) as usize);
        Self { log: false, low, high, ticks, decimals }
    }

    fn logarithmic(low: f64, high: f64) -> Self {
        let decades = high - low;
        if decades < 1.0 {
            // Too few powers of ten: ticks at equal differences.
            let ends = Self::linear(10_f64.powf(low), 10_f64.powf(high));
            return Self { log: true, low, high, ..ends };
        }
        // Every power of ten, or every second, third, ... one; 2 and 5 between them if there is room.
        let step = (decades / 6.0).ceil();
        let between: &[f64] = if decades < 3.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let first = (low / step).floor();
        let powers = (0..20).map(|i| 10_f64.powf((first + f64::from(i)) * step));
        let ticks = powers.flat_map(|power| between.iter().map(move |factor| factor * power));
        let ticks = ticks.filter(|tick| (low - 1e-9..=high + 1e-9).contains(&tick.log10())).collect();
        Self { log: true, low, high, ticks, decimals: None }
    }

    /// The position of a value on the axis, from 0 to 1; on a logarithmic axis, values of 0 and below are far before its beginning.
    pub(super) fn share(&self, value: f64) -> f64 {
        let value = if self.log { value.max(f64::MIN_POSITIVE).log10() } else { value };
        (value - self.low) / (self.high - self.low)
    }
}

/// The minimum and maximum, made to differ.
fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    let least = 1e-9 * low.abs().max(high.abs()).max(1e-3);
    if high - low > least { (low, high) } else { (low - 0.5, high + 0.5) }
}

/// 1, 2 or 5 times a power of ten: the smallest that is not below this.
fn round_step(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|&round| round >= step * (1.0 - 1e-9)).unwrap_or(step)
}

/// A number as a label: with this many decimals, grouped by thousands, or as a power of ten if that would be long.
fn number(value: f64, decimals: usize) -> String {
    let sign = if value < 0.0 { "\u{2212}" } else { "" };
    if decimals > 4 && value == 0.0 {
        return "0".into();
    }
    if value.abs() >= 1e6 || decimals > 4 {
        let shortest = format!("{:.2e}", value.abs());
        let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
        let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
        let mantissa = if mantissa == "1" { String::new() } else { format!("{mantissa}\u{b7}") };
        return format!("{sign}{mantissa}10{}", exponent.chars().map(superscript).collect::<String>());
    }
    let digits = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut spaced = String::new();
    for (place, digit) in whole.char_indices() {
        if whole.len() > 4 && place > 0 && (whole.len() - place) % 3 == 0 {
            spaced.push('\u{2009}');
        }
        spaced.push(digit);
    }
    let zero = digits.chars().all(|digit| matches!(digit, '0' | '.'));
    format!("{}{spaced}{fraction}", if zero { "" } else { sign })
}

fn superscript(digit: char) -> char {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    digit.to_digit(10).map_or('⁻', |digit| DIGITS[digit as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        let ticks = |axis: Axis| axis.marks().map(|(_, label)| label).collect::<Vec<_>>().join(" ");
        assert_eq!(ticks(Axis::linear(-8.7, -3.9)), "−8 −7 −6 −5 −4");
        assert_eq!(ticks(Axis::linear(-0.31, 0.2)), "−0.3 −0.2 −0.1 0.0 0.1 0.2");
        assert_eq!(ticks(Axis::linear(0.0, 20_000.0)), "0 5000 10\u{2009}000 15\u{2009}000 20\u{2009}000");
        assert_eq!(ticks(Axis::linear(-2e-5, 3e-5)), "−2·10⁻⁵ −10⁻⁵ 0 10⁻⁵ 2·10⁻⁵ 3·10⁻⁵");
        assert_eq!(ticks(Axis::logarithmic(1.0, 4.3)), "10 100 1000 10\u{2009}000");
        assert_eq!(ticks(Axis::logarithmic(-2.0, 0.0)), "0.01 0.02 0.05 0.1 0.2 0.5 1");
        assert_eq!(ticks(Axis::logarithmic(-6.0, 8.0)), "10⁻⁶ 0.001 1 1000 10⁶");
        assert_eq!(ticks(Axis::logarithmic(0.3, 0.9)), "2 3 4 5 6 7");
    }
}
