//! A model with its clamps as two halves of free bits, one to enumerate and one to sum out.

use crate::math::{log_sum_exp, normalized, softplus};
use crate::{Dbm, DbmError, Group, Parity};

/// The most free units that are enumerated: those of the parity that has fewer.
pub const MAX_UNITS: usize = 24;

/// Bits that are summed side by side; the width of the summed half is a multiple of it.
pub(super) const LANES: usize = 8;

/// How a unit is represented.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    /// A clamped visible unit, with its value.
    Clamped(f64),
    /// A bit of the enumerated half.
    Enumerated(usize),
    /// A bit of the half that is summed out.
    Summed(usize),
}

/// Every model, whatever its depth, units and clamps, is a two-layer machine of bits once its parities are separated: with
/// `s = low + gap bit` for free units and clamped units at their values,
///
/// `-E = constant + enumerated . x + summed . y + x^T pairs y`
///
/// for the bits `x` of one parity and `y` of the other. Units are in the order of their layers.
pub(super) struct Bipartition {
    /// How each unit is represented, layer by layer.
    pub places: Vec<Vec<Place>>,
    /// `-E` with all bits low.
    pub constant: f64,
    /// Biases of the enumerated bits.
    pub enumerated: Vec<f64>,
    /// Biases of the summed bits: `[width]`.
    pub summed: Vec<f64>,
    /// `[enumerated bits, width]`, row-major.
    pub pairs: Vec<f64>,
    /// The groups of visible units that are not fully clamped, or are at no level.
    pub groups: Vec<Levels>,
}

/// The bits of a group of visible units, all of one half.
pub(super) struct Levels {
    bits: Vec<usize>,
    /// For each level that agrees with the clamped units, which of these bits are high.
    highs: Vec<Vec<usize>>,
}

impl Levels {
    fn of(group: &Group, visible: &[Option<bool>], places: &[Place]) -> Option<Self> {
        let bit = |unit: usize| match places[unit] {
            Place::Clamped(_) => None,
            Place::Enumerated(bit) | Place::Summed(bit) => Some(bit),
        };
        let bits: Vec<usize> = group.units.clone().filter_map(bit).collect();
        let levels = (0..group.levels()).filter(|&level| group.allows(level, |unit| visible[unit]));
        let highs: Vec<Vec<usize>> = levels.map(|level| group.high_units(level).filter_map(bit).collect()).collect();
        // Of a fully clamped group nothing is left, unless it is at no level: then there is no state at all.
        (!bits.is_empty() || highs.is_empty()).then_some(Self { bits, highs })
    }

    /// Whether the enumerated bits of a code are at a level.
    pub fn has(&self, code: u32) -> bool {
        let mask = |bits: &[usize]| bits.iter().fold(0_u32, |mask, bit| mask | 1 << bit);
        let own = code & mask(&self.bits);
        self.highs.iter().any(|highs| mask(highs) == own)
    }

    /// What the log of the sum over the summed bits changes by if these are at a level.
    pub fn excess(&self, fields: &[f64]) -> f64 {
        log_sum_exp(&self.exponents(fields)) - self.bits.iter().map(|&bit| softplus(fields[bit])).sum::<f64>()
    }

    /// Writes `scale P(high)` of its bits.
    pub fn write_highs(&self, scale: f64, fields: &[f64], into: &mut [f64]) {
        self.bits.iter().for_each(|&bit| into[bit] = 0.0);
        for (highs, p) in self.highs.iter().zip(normalized(&self.exponents(fields))) {
            highs.iter().for_each(|&bit| into[bit] += scale * p);
        }
    }

    fn exponents(&self, fields: &[f64]) -> Vec<f64> {
        self.highs.iter().map(|highs| highs.iter().map(|&bit| fields[bit]).sum()).collect()
    }
}

/// The bias of padding bits, which fill the summed half up to whole vectors: they are never high, not even in the last digit.
const NEVER: f64 = -1e4;

impl Bipartition {
    /// Enumerates the parity with fewer free units.
    ///
    /// # Errors
    /// [`DbmError::Shape`] if `visible` is not as long as the visible layer, and those of [`Self::enumerating`].
    pub fn smaller(model: &Dbm, visible: &[Option<bool>]) -> Result<Self, DbmError> {
        DbmError::check_shape("the clamped visible layer", model.n_visible(), visible.len())?;
        let [even, odd] = [Parity::Even, Parity::Odd].map(|parity| free_units(model, visible, parity));
        Self::enumerating(model, visible, if even <= odd { Parity::Even } else { Parity::Odd })
    }

    /// Enumerates this parity; `visible` must be as long as the visible layer.
    ///
    /// # Errors
    /// [`DbmError::TooManyUnits`] if it has more than [`MAX_UNITS`] free units.
    pub fn enumerating(model: &Dbm, visible: &[Option<bool>], parity: Parity) -> Result<Self, DbmError> {
        let units = free_units(model, visible, parity);
        if units > MAX_UNITS {
            return Err(DbmError::TooManyUnits { units, limit: MAX_UNITS });
        }
        let width = free_units(model, visible, parity.other()).next_multiple_of(LANES);
        let mut halves = Self {
            places: place_units(model, visible, parity),
            constant: 0.0,
            enumerated: vec![0.0; units],
            summed: vec![0.0; width],
            pairs: vec![0.0; units * width],
            groups: vec![],
        };
        halves.groups = model.groups().iter().filter_map(|group| Levels::of(group, visible, &halves.places[0])).collect();
        halves.add_parameters(model);
        let used = halves.places.iter().flatten().filter(|place| matches!(place, Place::Summed(_))).count();
        halves.summed[used..].fill(NEVER);
        Ok(halves)
    }

    /// The groups whose bits are summed, or enumerated.
    pub fn groups_of(&self, enumerated: bool) -> &[Levels] {
        // All visible bits are of one half.
        let are = self.places[0].iter().any(|place| matches!(place, Place::Enumerated(_)));
        if are == enumerated { &self.groups } else { &[] }
    }

    /// Bits of the summed half, padding included.
    pub fn width(&self) -> usize {
        self.summed.len()
    }

    fn add_parameters(&mut self, model: &Dbm) {
        let (low, gap) = (f64::from(model.units().low()), f64::from(model.units().gap()));
        // A unit's value is its base plus its slope times its bit.
        let line = |place: Place| if let Place::Clamped(value) = place { (value, 0.0) } else { (low, gap) };
        let places = std::mem::take(&mut self.places);
        for (biases, layer) in model.biases().iter().zip(&places) {
            for (&bias, &place) in biases.iter().zip(layer) {
                let (base, slope) = line(place);
                self.constant += f64::from(bias) * base;
                self.add_bias(place, f64::from(bias) * slope);
            }
        }
        for (matrix, layers) in model.weights().iter().zip(places.windows(2)) {
            for (row, &lower) in layers[0].iter().enumerate() {
                let (lower_base, lower_slope) = line(lower);
                for (&weight, &upper) in matrix.row(row).iter().zip(&layers[1]) {
                    let (weight, (upper_base, upper_slope)) = (f64::from(weight), line(upper));
                    self.constant += weight * lower_base * upper_base;
                    self.add_bias(lower, weight * lower_slope * upper_base);
                    self.add_bias(upper, weight * lower_base * upper_slope);
                    if let (Place::Enumerated(i), Place::Summed(j)) | (Place::Summed(j), Place::Enumerated(i)) = (lower, upper) {
                        let width = self.summed.len();
                        self.pairs[i * width + j] = weight * lower_slope * upper_slope;
                    }
                }
            }
        }
        self.places = places;
    }

    fn add_bias(&mut self, place: Place, bias: f64) {
        match place {
            Place::Clamped(_) => {}
            Place::Enumerated(i) => self.enumerated[i] += bias,
            Place::Summed(j) => self.summed[j] += bias,
        }
    }
}

/// Free units of one parity.
pub(super) fn free_units(model: &Dbm, visible: &[Option<bool>], parity: Parity) -> usize {
    let all: usize = parity.layers(model.depth()).map(|l| model.sizes()[l]).sum();
    let clamped = if parity == Parity::Even { visible.iter().flatten().count() } else { 0 };
    all - clamped
}

fn place_units(model: &Dbm, visible: &[Option<bool>], enumerated: Parity) -> Vec<Vec<Place>> {
    let mut next = [0; 2];
    let mut places = Vec::with_capacity(model.sizes().len());
    for (l, &size) in model.sizes().iter().enumerate() {
        let parity = Parity::first(l.is_multiple_of(2));
        let next = &mut next[parity as usize];
        let place = |unit: usize| match visible.get(unit) {
            Some(Some(bit)) if l == 0 => Place::Clamped(f64::from(model.units().value(*bit))),
            _ => {
                *next += 1;
                if parity == enumerated { Place::Enumerated(*next - 1) } else { Place::Summed(*next - 1) }
            }
        };
        places.push((0..size).map(place).collect());
    }
    places
}
