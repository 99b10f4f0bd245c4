//! The models that come with the page.

use dbm_core::words::{Choice, Choose, Words, choice, words};

/// Which of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShippedModel {
    /// The one with two hidden layers and labels.
    #[default]
    Deep,
    /// The one whose samples are best after the sweeps that it was trained with.
    AfterSweeps,
    /// The one whose equilibrium is the data's, as far as it came.
    InEquilibrium,
    /// The one of grey digits.
    Grey,
}

impl Choose for ShippedModel {
    const WORDS: Words = words("model", "Model", "Which model is on view.");
    const CHOICES: &'static [Choice<Self>] = &[
        choice(
            Self::Deep,
            "deep",
            "Pretrained on MNIST",
            "Two hidden layers and labels: it completes, reads which digit it sees, and draws the one that is asked for.",
        ),
        choice(
            Self::AfterSweeps,
            "one-layer",
            "Pretrained, one layer",
            "Trained to complete, and to be right 50 Gibbs sweeps after a mode; sampled for longer, its digits become few and alike.",
        ),
        choice(
            Self::InEquilibrium,
            "equilibrium",
            "Pretrained, in equilibrium",
            "Trained in small steps by parallel trajectory tempering: its samples stay good however long it is sampled, but from noise that takes about 2000 sweeps.",
        ),
        choice(
            Self::Grey,
            "grey",
            "Pretrained, grey digits",
            "Several units a pixel, which count how bright it is: it draws and completes digits in grey.",
        ),
    ];
}

impl ShippedModel {
    /// Its file, beside the page.
    pub fn file(self) -> &'static str {
        match self {
            Self::Deep => "models/deep.safetensors",
            Self::AfterSweeps => "models/mnist.safetensors",
            Self::InEquilibrium => "models/equilibrium.safetensors",
            Self::Grey => "models/grey.safetensors",
        }
    }
}
