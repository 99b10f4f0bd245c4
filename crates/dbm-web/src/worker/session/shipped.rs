//! The models that come with the page.

use dbm_core::words::{choices, words};

choices! {
    /// Which of them.
    #[derive(Default)]
    pub enum ShippedModel = words("model", "Model", "Which model is on view.");
    /// The one with two hidden layers and labels.
    #[default]
    Deep = "deep", "Pretrained on MNIST",
        "Two hidden layers and labels: it completes, reads which digit it sees, and draws any digit you choose.";
    AfterSweeps = "one-layer", "Pretrained, one layer",
        "Trained to complete, and to sample well 50 Gibbs sweeps after a mode; sampled for longer, its digits lose variety.";
    InEquilibrium = "equilibrium", "Pretrained, in equilibrium",
        "Trained in small steps by parallel trajectory tempering: its samples stay good however long it is sampled, but getting there from noise takes about 2000 sweeps.";
    Grey = "grey", "Pretrained, grey digits",
        "Several units a pixel, which count how bright it is: it draws and completes digits in grey.";
}

impl ShippedModel {
    /// Its file, next to the page.
    pub fn file(self) -> &'static str {
        match self {
            Self::Deep => "models/deep.safetensors",
            Self::AfterSweeps => "models/mnist.safetensors",
            Self::InEquilibrium => "models/equilibrium.safetensors",
            Self::Grey => "models/grey.safetensors",
        }
    }
}
