//! The distribution of a whole layer.

use super::bipartition::{Bipartition, MAX_UNITS, Place, free_units};
use super::enumerate::for_each_state;
use super::sum;
use crate::{Dbm, DbmError, Parity};

/// At most this many free units take part where a layer's distribution is the mean of its conditional ones: those of the other
/// parity and of the layer.
pub const MAX_SPREAD: usize = 30;

/// `P(s_l | clamped units)` for each of the `2^{n_l}` states of layer `l`: bit `i` of a state's index says whether unit `i` is
/// high, unit 0 being the lowest bit. States that contradict a clamped unit have probability 0.
///
/// Either the layer's own parity is enumerated, or the other one, each state of which gives the layer's units independent
/// probabilities; whichever touches fewer states.
///
/// ```
/// use dbm_core::{Dbm, Units, exact};
/// let model = Dbm::new(Units::Signs, vec![vec![0.0; 2]], vec![vec![0.0; 2], vec![0.0]])?;
/// assert_eq!(exact::layer_distribution(&model, 0, &[None, Some(true)])?, [0.0, 0.0, 0.5, 0.5]);
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
///
/// # Errors
/// [`DbmError::NoSuchLayer`]; [`DbmError::Shape`] where `visible` is not as long as the visible layer;
/// [`DbmError::TooManyUnits`] where the layer has more than [`MAX_UNITS`] units, where both parities have more free units than
/// that, or where the layer's own parity does and the other one has, with the free units of the layer, more than
/// [`MAX_SPREAD`].
pub fn layer_distribution(model: &Dbm, layer: usize, visible: &[Option<bool>]) -> Result<Vec<f64>, DbmError> {
    let Some(&size) = model.sizes().get(layer) else {
        return Err(DbmError::NoSuchLayer { layer, last: model.depth() });
    };
    DbmError::check_shape("the clamped visible layer", model.n_visible(), visible.len())?;
    if size > MAX_UNITS {
        return Err(DbmError::TooManyUnits { units: size, limit: MAX_UNITS });
    }
    let parity = Parity::first(layer.is_multiple_of(2));
    let [own, other] = [parity, parity.other()].map(|parity| free_units(model, visible, parity));
    let free = if layer == 0 { visible.iter().filter(|bit| bit.is_none()).count() } else { size };
    let spread = other + free;
    let (can_collect, can_mix) = (own <= MAX_UNITS, other <= MAX_UNITS && spread <= MAX_SPREAD);
    let walked = match (can_collect, can_mix) {
        (true, true) if own <= spread => parity,
        (true, false) => parity,
        (_, true) => parity.other(),
        (false, false) if other <= MAX_UNITS => return Err(DbmError::TooManyUnits { units: spread, limit: MAX_SPREAD }),
        (false, false) => return Err(DbmError::TooManyUnits { units: own.min(other), limit: MAX_UNITS }),
    };
    let halves = Bipartition::enumerating(model, visible, walked)?;
    let of_free = if walked == parity { collect(&halves, layer, free) } else { mix(&halves, layer, free) };
    Ok(if free == size { of_free } else { among_all(&of_free, &halves.places[layer]) })
}

/// The layer is enumerated: its states' probabilities are sums of those of the half. `free` of its units are.
fn collect(halves: &Bipartition, layer: usize, free: usize) -> Vec<f64> {
    let (first, sum) = (first_bit(&halves.places[layer]), sum::over(halves));
    let mut table = vec![0.0; 1 << free];
    let mask = (1_usize << free) - 1;
    for_each_state(halves, |state| table[state.code as usize >> first & mask] += sum.share(state.log_weight));
    table
}

/// The layer is summed out: each state of the half adds the product of the layer's conditional probabilities.
fn mix(halves: &Bipartition, layer: usize, free: usize) -> Vec<f64> {
    let (first, sum) = (first_bit(&halves.places[layer]), sum::over(halves));
    let (mut table, mut products, mut highs) = (vec![0.0; 1 << free], vec![0.0; 1 << free], vec![0.0; free]);
    for_each_state(
        halves,
        #[inline(always)]
        |state| {
            products[0] = sum.share(state.log_weight);
            state.write_highs(first, 1.0, &mut highs);
            for (unit, &high) in highs.iter().enumerate() {
                let (low, both) = products[..2 << unit].split_at_mut(1 << unit);
                for (low, both) in low.iter_mut().zip(both) {
                    *both = *low * high;
                    *low -= *both;
                }
            }
            table.iter_mut().zip(&products).for_each(|(p, product)| *p += product);
        },
    );
    table
}

/// Where the layer's free units begin among those of their parity.
fn first_bit(places: &[Place]) -> usize {
    let bit = |place: &Place| match *place {
        Place::Clamped(_) => None,
        Place::Enumerated(bit) | Place::Summed(bit) => Some(bit),
    };
    places.iter().find_map(bit).unwrap_or(0)
}

/// Takes the probabilities of the states of the free units to the states of all units of the layer.
fn among_all(of_free: &[f64], places: &[Place]) -> Vec<f64> {
    let mut table = vec![0.0; 1 << places.len()];
    for (code, &probability) in of_free.iter().enumerate() {
        let (mut rest, mut index) = (code, 0);
        for (unit, place) in places.iter().enumerate() {
            let bit = if let Place::Clamped(value) = place {
                usize::from(*value > 0.0)
            } else {
                let bit = rest & 1;
                rest >>= 1;
                bit
            };
            index |= bit << unit;
        }
        table[index] = probability;
    }
    table
}
