//! The likelihood of data under a model, as a report.

use crate::likelihood::{Likelihood, MAX_SWEEPS};
use crate::log_z::{LogZ, Reverse, ReverseFrom};
use crate::{Report, template};
use dbm_core::ais::{AisEstimate, AisSettings, Bracket};
use dbm_core::words::Choose;
use minijinja::context;
use serde_json::{Map, Value, json};

/// log Z of a model, and the resulting likelihood of data.
pub struct LikelihoodReport {
    /// Number of annealing temperatures.
    pub settings: AisSettings,
    /// The start of reverse annealing, and the model's sweeps from there on.
    pub reverse: (ReverseFrom, u32),
    /// Both sides.
    pub log_z: LogZ,
    /// For the data, if there are any.
    pub likelihood: Option<Likelihood>,
}

impl LikelihoodReport {
    fn bracket(&self) -> Option<&Bracket> {
        self.log_z.reverse.as_ref().map(|Reverse { bracket, .. }| bracket)
    }
}

impl Report for LikelihoodReport {
    fn json(&self) -> Value {
        let AisEstimate { log_z, standard_error, effective_sample_size, .. } = self.log_z.estimate;
        let of_log_z = json!({
            "log_z": log_z, "log_z_standard_error": standard_error, "effective_sample_size": effective_sample_size,
            "exact_log_z": self.log_z.exact, "ais_chains": self.settings.chains, "ais_betas": self.settings.betas,
        });
        let of_reverse = self.bracket().map(|bracket| {
            let Bracket { high, bennett, .. } = bracket;
            json!({
                "reverse_from": self.reverse.0.choice().name, "reverse_sweeps": self.reverse.1, "reverse_log_z": high.log_z,
                "reverse_log_z_standard_error": high.standard_error, "reverse_effective_sample_size": high.effective_sample_size,
                "bennett_log_z": bennett.log_ratio, "bennett_log_z_standard_error": bennett.standard_error,
                "bennett_overlap": bennett.overlap, "bracket": bracket.width(), "bracket_verdict": verdict(bracket),
            })
        });
        let objects = [Some(of_log_z), of_reverse, self.likelihood.as_ref().map(|likelihood| json!(likelihood))];
        let fields = objects.iter().flatten().filter_map(Value::as_object).flatten();
        fields.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>().into()
    }

    fn text(&self) -> String {
        let side = |of: &AisEstimate| {
            let AisEstimate { log_z, standard_error, effective_sample_size, log_weights, .. } = of;
            context! { log_z, standard_error, effective_sample_size, chains => log_weights.len() }
        };
        let bracket = self.bracket().map(|bracket| {
            let bennett = &bracket.bennett;
            context! {
                high => side(&bracket.high),
                bennett => context! { log_z => bennett.log_ratio, standard_error => bennett.standard_error, overlap => bennett.overlap },
                verdict => verdict(bracket),
            }
        });
        let values = context! {
            low => side(&self.log_z.estimate),
            bracket,
            exact => self.log_z.exact,
            likelihood => self.likelihood,
            max_sweeps => MAX_SWEEPS,
        };
        template::text("evaluation.txt", include_str!("evaluation.txt"), &values)
    }
}

/// Whether the two ends of log Z agree, in words.
fn verdict(bracket: &Bracket) -> String {
    let width = bracket.width();
    match (bracket.is_open(), width < 0.0) {
        (false, _) => format!("closed: the ends are {:.3} nats apart", width.abs()),
        (true, false) => format!(
            "open: log Z may be anywhere in {width:.3} nats; more betas, or starts closer to samples of the model, narrow it"
        ),
        (true, true) => format!(
            "open: the high side is {:.3} nats below the low one, so that its starts are hardly samples of the model; start from others, or sweep on",
            -width
        ),
    }
}
