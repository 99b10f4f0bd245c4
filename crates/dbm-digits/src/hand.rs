//! A hand that never writes a glyph the same way twice: the randomness between the drawings of [`crate::glyphs`] and the pen.

use crate::glyphs::{GLYPHS, Glyph};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;
use std::f32::consts::TAU;

/// A glyph before inking: strokes of control points, in the glyph's own coordinates.
pub(crate) type Strokes = Vec<Vec<[f32; 2]>>;

/// The random numbers of one image. Every value is computed from integers, `+ - * /` and `libm`, so that all machines agree.
pub(crate) struct StrokeRandom(pub Xoshiro256PlusPlus);

impl StrokeRandom {
    /// Uniform in `0.0..1.0`.
    pub fn unit(&mut self) -> f32 {
        (self.0.next_u32() >> 8) as f32 / (1 << 24) as f32
    }

    /// Approximately normal, with mean 0 and standard deviation 1, and never beyond 3.5: no tail spoils a glyph.
    pub fn normal(&mut self) -> f32 {
        let sum: f32 = (0..4).map(|_| self.unit()).sum();
        (sum - 2.0) * 1.732
    }

    /// Approximately `exp` of a normal with standard deviation `spread`: a factor around 1, never below a third for spreads up to 0.3.
    pub fn factor(&mut self, spread: f32) -> f32 {
        libm::expf(spread * self.normal())
    }
}

/// One way to write `class`, chosen by weight.
fn choose(class: u8, random: &mut StrokeRandom) -> &'static Glyph {
    let glyphs = &GLYPHS[usize::from(class)];
    let mut left = random.unit() * glyphs.iter().map(|glyph| glyph.weight).sum::<f32>();
    for glyph in glyphs {
        left -= glyph.weight;
        if left < 0.0 {
            return glyph;
        }
    }
    &glyphs[0]
}

/// The strokes of a new digit of `class`.
pub(crate) fn write(class: u8, random: &mut StrokeRandom) -> Strokes {
    let glyph = choose(class, random);
    let mut strokes = between(glyph, random);
    let bends = [Bend::new(random), Bend::new(random)];
    let build = Build::new(class, random);
    for point in strokes.iter_mut().flatten() {
        let bent = bends.iter().fold(*point, |at, bend| bend.apply(*point, at));
        *point = build.apply(bent);
    }
    strokes
}

/// Interpolates between the glyph's two drawings, or slightly beyond, and shakes every point.
fn between(glyph: &Glyph, random: &mut StrokeRandom) -> Strokes {
    const JITTER: f32 = 0.027;
    // The ends of a stroke vary more than its middle.
    const ENDS: f32 = 0.050;
    let blend = 0.5 + 0.45 * random.normal();
    let mut drift = [0.0; 2];
    glyph
        .strokes
        .iter()
        .map(|points| {
            let mut previous: Option<[f32; 4]> = None;
            let last = points.len() - 1;
            points
                .iter()
                .enumerate()
                .map(|(i, &point)| {
                    // The second half of a corner follows the first.
                    if previous != Some(point) {
                        let jitter = if i == 0 || i == last { ENDS } else { JITTER };
                        drift = drift.map(|d| 0.4 * d + jitter * random.normal());
                    }
                    previous = Some(point);
                    let [xa, ya, xb, yb] = point;
                    [xa + blend * (xb - xa) + drift[0], ya + blend * (yb - ya) + drift[1]]
                })
                .collect()
        })
        .collect()
}

/// A slow wave through the plane that pushes points across or along it: nearby points move together, so joints hold.
struct Bend {
    wave: [f32; 2],
    phase: f32,
    push: [f32; 2],
}

impl Bend {
    fn new(random: &mut StrokeRandom) -> Self {
        const STRENGTH: f32 = 0.042;
        Self {
            wave: [3.5 * random.normal(), 3.5 * random.normal()],
            phase: TAU * random.unit(),
            push: [STRENGTH * random.normal(), STRENGTH * random.normal()],
        }
    }

    /// Moves `at` by the wave at the point's original position.
    fn apply(&self, was: [f32; 2], at: [f32; 2]) -> [f32; 2] {
        let height = libm::sinf(self.wave[0] * was[0] + self.wave[1] * was[1] + self.phase);
        [at[0] + self.push[0] * height, at[1] + self.push[1] * height]
    }
}

/// The build of the complete digit: its width, slant and turn, and the division of its height and width between top and bottom.
struct Build {
    width: f32,
    slant: f32,
    turn: [f32; 2],
    taper: f32,
    waist: f32,
}

impl Build {
    fn new(class: u8, random: &mut StrokeRandom) -> Self {
        // A turned one is still a one, and little else about it can vary.
        let (slant, turn) = if class == 1 { (0.26, 0.10) } else { (0.22, 0.09) };
        let angle = turn * random.normal();
        Self {
            width: 1.04 * random.factor(0.18),
            slant: 0.08 + slant * random.normal(),
            turn: [libm::cosf(angle), libm::sinf(angle)],
            taper: 0.25 * random.normal(),
            waist: 0.22 * random.normal(),
        }
    }

    fn apply(&self, [x, y]: [f32; 2]) -> [f32; 2] {
        let x = (x - 0.4) * self.width * (1.0 + self.taper * (y - 0.5));
        let y = y + self.waist * y * (1.0 - y) - 0.5;
        let x = x - self.slant * y;
        let [cos, sin] = self.turn;
        [cos * x - sin * y, sin * x + cos * y]
    }
}
