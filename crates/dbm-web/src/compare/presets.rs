//! Comparisons at one press: the paper's ablations, and the rivals of its estimator.

/// Keys of the settings form, and their values.
pub type Keys = &'static [(&'static str, &'static str)];

/// One comparison.
#[derive(Debug)]
pub struct Preset {
    /// As the address has it.
    pub key: &'static str,
    /// The two runs.
    pub title: [&'static str; 2],
    /// What the paper says.
    pub paper: &'static str,
    /// What to look at.
    pub look: &'static str,
    /// What both runs have, in place of the Train form's settings.
    pub both: Keys,
    /// What run B has besides.
    pub other: Keys,
    /// How far to train at first: both runs within a minute or so on digits.
    pub steps: u32,
}

/// The paper's own settings but for the rate: nothing of what this lab adds.
const PAPER: Keys = &[
    ("units", "signs"),
    ("estimator", "ucd-lmi"),
    ("start", "orthogonal"),
    ("marginalized", "yes"),
    ("centered", "no"),
    ("conditional", "0"),
    ("average", ""),
    ("decay", "0"),
];

/// How many of [`PRESETS`] are the paper's ablations; they come first.
pub const ABLATIONS: usize = 5;

/// All of them.
pub const PRESETS: [Preset; 11] = [
    Preset {
        key: "signs-bits",
        title: ["signs", "bits"],
        paper: "Section 4.1 and Table 2: with units of 0 and 1 in place of −1 and 1 the Fréchet distance (FID) on MNIST rises from 10.33 to 30.27, since most \
                products of two bits are 0 and the gradient is sparse.",
        look: "How many of the 64 samples are distinct. On digits and on MNIST, at this rate (Adam, 0.002), run B falls together into a handful of images and \
               run A does not. It takes the rate: at 0.001 both hold out for 1000 steps; SGD at 0.01, the paper’s, lets both fall together in models as small as this.",
        both: &[
            ("units", "signs"),
            ("estimator", "ucd-lmi"),
            ("start", "orthogonal"),
            ("marginalized", "yes"),
            ("centered", "no"),
            ("conditional", "0"),
            ("average", ""),
            ("decay", "0"),
            ("optimizer", "adam"),
            ("rate", "0.002"),
        ],
        other: &[("units", "bits")],
        steps: 1000,
    },
    Preset {
        key: "coupling",
        title: ["coupling on", "off"],
        paper: "Table 2: without the unbiased gradient the FID rises from 10.33 to 112.1, the largest fall of all. The paper does not say what took its place; \
                here run B stops where the coupling would begin (LMI).",
        look: "The checksums. On a wide model no proposal is ever accepted, so every coupling ends at τ = 1 and both runs are the same to the bit. On bars and \
               stripes couplings do happen and the runs part: there the corrections bring more noise than they take bias away, for thousands of steps.",
        both: PAPER,
        other: &[("estimator", "lmi")],
        steps: 200,
    },
    Preset {
        key: "marginalized",
        title: ["marginalized", "not"],
        paper: "Section 4.2 and Table 2: replacing half of each state by its conditional means leaves the mean as it is and takes variance away; without it \
                the FID rises from 10.33 to 13.70.",
        look: "The curves: the same way, with more noise in run B. The samples differ little, as the paper’s numbers say.",
        both: PAPER,
        other: &[("marginalized", "no")],
        steps: 500,
    },
    Preset {
        key: "orthogonal",
        title: ["orthogonal", "small Gaussian start"],
        paper: "Section 4.3 and Table 2: with Gaussian weights of deviation 0.01 in place of orthogonal ones the FID rises from 10.33 to 18.20.",
        look: "The first hundred steps, and T: weights near zero have short searches and modes that say little, until the model has grown.",
        both: PAPER,
        other: &[("start", "gaussian")],
        steps: 500,
    },
    Preset {
        key: "mode",
        title: ["local mode", "uniform start"],
        paper: "Section 5.1 and Figure 1: with the same coupling started from noise in place of a local mode, the number of steps τ + T varies very much.",
        look: "The largest τ and the share at the cap: chains that start in noise rest on what is added until they meet, and a coupling that is cut is biased. \
               Its estimates are so noisy that run B hardly learns.",
        both: PAPER,
        other: &[("estimator", "ucd-mh")],
        steps: 50,
    },
    Preset {
        key: "cd-1",
        title: ["UCD-LMI", "CD-1"],
        paper: "The paper trains nothing by contrastive divergence, from which its estimator has the name: CD-1 takes the negative phase one Gibbs sweep away \
                from the data.",
        look: "The reconstruction error, which CD-1 is good at, beside the samples, which start from noise, where CD-1 has never been.",
        both: PAPER,
        other: &[("estimator", "cd"), ("k", "1")],
        steps: 500,
    },
    Preset {
        key: "cd-10",
        title: ["UCD-LMI", "CD-10"],
        paper: "The paper trains nothing by contrastive divergence. Ten sweeps take the chains further from the data than one, and the bias is smaller.",
        look: "Beside CD-1: the samples, and the seconds a step. On models small enough for the exact likelihood CD-10 learns faster than any unbiased estimator.",
        both: PAPER,
        other: &[("estimator", "cd"), ("k", "10")],
        steps: 500,
    },
    Preset {
        key: "pcd",
        title: ["UCD-LMI", "PCD"],
        paper: "Figure 2: a DBM trained by PCD alone, mean field for the data, “completely fails to learn data structure”, and UCD-LMI generates clean samples.",
        look: "The samples. Those of run B are modes as well, searched from noise: PCD’s own chains may know more than these show.",
        both: PAPER,
        other: &[("estimator", "pcd"), ("k", "1")],
        steps: 500,
    },
    Preset {
        key: "centered-cd",
        title: ["UCD-LMI", "centered CD-1"],
        paper: "Table 1 has the centered DBM of Montavon and Müller at an FID of 89.10 beside 10.33; centering with moving means is what the paper’s signs \
                are to make unnecessary (Section 4.1).",
        look: "Run B beside CD-1 without centering: the same estimates, with steps that go another way.",
        both: PAPER,
        other: &[("estimator", "cd"), ("k", "1"), ("centered", "yes")],
        steps: 500,
    },
    Preset {
        key: "centered-pcd",
        title: ["UCD-LMI", "centered PCD"],
        paper: "Table 1: the centered DBM, which needs no pretraining either, has an FID of 89.10 on MNIST, UCD-LMI 10.33.",
        look: "The samples, and how many of the 64 are distinct.",
        both: PAPER,
        other: &[("estimator", "pcd"), ("k", "1"), ("centered", "yes")],
        steps: 500,
    },
    Preset {
        key: "ucd-gibbs",
        title: ["UCD-LMI", "UCD-Gibbs"],
        paper: "Sections 5.1 and 5.2: the time that coupled Gibbs chains take to meet grows exponentially with the dimension, so the paper leaves the original \
                UCD out of its comparison of images.",
        look: "The seconds a step, and the share of couplings cut at the cap, whose estimates are biased. On bars and stripes they meet.",
        both: PAPER,
        other: &[("estimator", "ucd-gibbs")],
        steps: 20,
    },
];

/// The comparison of this name.
pub fn named(key: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.key == key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_has_its_name() {
        let keys: BTreeSet<_> = PRESETS.iter().map(|preset| preset.key).collect();
        assert_eq!(keys.len(), PRESETS.len());
        assert!(keys.iter().all(|key| named(key).is_some_and(|preset| preset.key == *key)));
        assert!(named("💥").is_none());
    }
}
