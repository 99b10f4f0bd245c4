//! What a training step did, in words and as JSON: the values that its estimator has.

use dbm_core::StepInfo;
use dbm_core::gradient::PhaseInfo;
use dbm_core::signals::Signals;
use serde_json::{Value, json};

/// Mean of counts, if there are any.
pub fn mean(values: &[u32]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().map(|&x| f64::from(x)).sum::<f64>() / values.len() as f64)
}

fn mean_energy(phase: &PhaseInfo) -> Option<f64> {
    (phase.chains > 0).then(|| phase.mean_energy())
}

/// One object of `--json`. Values that the estimator does not have are null, or a count of 0.
pub fn line(event: &str, step: &StepInfo, seen: Option<&Signals>) -> Value {
    let phase = |p: &PhaseInfo| {
        json!({
            "mean_sweeps": mean(&p.sweeps),
            "searches_capped": p.searches_capped,
            "mean_meeting_time": mean(&p.meeting_times),
            "max_meeting_time": p.meeting_times.iter().max(),
            "couplings_capped": p.couplings_capped,
            "tries_capped": p.tries_capped,
            "acceptance": (p.proposals > 0).then(|| p.acceptance()),
            "mean_field_sweeps": mean(&p.mean_field_sweeps),
            "mean_field_capped": p.mean_field_capped,
            "mean_energy": mean_energy(p),
            "search_seconds": p.search_seconds,
            "coupling_seconds": p.coupling_seconds,
        })
    };
    let exchanges = &step.info.negative.exchanges;
    json!({
        "event": event,
        "step": step.step,
        "step_seconds": step.seconds,
        "update_seconds": step.update_seconds,
        "rungs": step.climb.map(|climb| climb.rungs),
        "taken": step.climb.map(|climb| climb.taken),
        "rate_share": step.climb.map(|climb| climb.rate),
        "exchanges_accepted": exchanges.rates().collect::<Vec<_>>(),
        "positive": phase(&step.info.positive),
        "negative": phase(&step.info.negative),
        "reconstruction_error": seen.map(|seen| seen.reconstruction_error),
        "pseudo_log_likelihood": seen.map(|seen| seen.pseudo_log_likelihood),
        "pseudo_log_likelihood_error": seen.map(|seen| seen.pseudo_log_likelihood_error),
    })
}

/// `name positive / negative` for each value that the estimator has, and every cap that was reached.
pub fn message(step: &StepInfo, seen: Option<&Signals>) -> String {
    let phases = [&step.info.positive, &step.info.negative];
    let pair = |name: &str, value: &dyn Fn(&PhaseInfo) -> Option<f64>| {
        let values = phases.map(value);
        let show = |value: Option<f64>| value.map_or("-".to_string(), |value| format!("{value:.1}"));
        values.iter().any(Option::is_some).then(|| format!("{name} {} / {}", show(values[0]), show(values[1])))
    };
    let capped = |what: &str, count: &dyn Fn(&PhaseInfo) -> u32| {
        let count: u32 = phases.into_iter().map(count).sum();
        (count > 0).then(|| format!("{count} {what} cut at the cap"))
    };
    let parts = [
        pair("T", &|p| mean(&p.sweeps)),
        pair("tau", &|p| mean(&p.meeting_times)),
        mean(&step.info.positive.mean_field_sweeps).map(|sweeps| format!("mean field {sweeps:.1} sweeps")),
        pair("energy", &mean_energy),
        step.climb.map(|climb| {
            let exchanges = &step.info.negative.exchanges;
            let least = exchanges.rates().fold(1.0, f64::min);
            let rate = if climb.rate < 1.0 { format!(", rate x {}", climb.rate) } else { String::new() };
            format!("{} rungs, exchanges accepted {least:.2} at least{rate}", climb.rungs)
        }),
        seen.map(|seen| format!("reconstruction error {:.4}", seen.reconstruction_error)),
        seen.map(|seen| format!("pseudo-likelihood {:.1}", seen.pseudo_log_likelihood)),
        capped("searches", &|p| p.searches_capped),
        capped("couplings", &|p| p.couplings_capped),
        capped("rejections", &|p| p.tries_capped),
        capped("mean-field iterations", &|p| p.mean_field_capped),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("  ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::gradient::Info;

    #[test]
    fn a_message_says_what_there_is_and_every_cap() {
        let negative = PhaseInfo { energy_sum: -9.0, chains: 2, ..PhaseInfo::default() };
        let positive = PhaseInfo { mean_field_sweeps: vec![3, 4], mean_field_capped: 1, ..PhaseInfo::default() };
        let pcd = StepInfo { info: Info { positive, negative }, ..StepInfo::default() };
        assert_eq!(message(&pcd, None), "mean field 3.5 sweeps  energy - / -4.5  1 mean-field iterations cut at the cap");
        let phase = |tau| PhaseInfo { meeting_times: vec![tau], couplings_capped: 1, tries_capped: 2, ..PhaseInfo::default() };
        let coupled = StepInfo { info: Info { positive: phase(1), negative: phase(7) }, ..StepInfo::default() };
        assert_eq!(message(&coupled, None), "tau 1.0 / 7.0  2 couplings cut at the cap  4 rejections cut at the cap");
        assert_eq!(line("step", &coupled, None)["negative"]["tries_capped"], 2);
        assert!(line("step", &coupled, None)["negative"]["acceptance"].is_null());
        let seen = Signals {
            reconstruction_error: 0.03125,
            pseudo_log_likelihood: -98.5,
            pseudo_log_likelihood_error: 4.0,
            free_energy: -512.25,
            activities: vec![],
            examples: 1,
        };
        assert!(message(&coupled, Some(&seen)).contains("reconstruction error 0.0312  pseudo-likelihood -98.5"));
        assert_eq!(line("step", &coupled, Some(&seen))["pseudo_log_likelihood"], -98.5);
    }
}
