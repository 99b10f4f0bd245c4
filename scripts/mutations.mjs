// Breaks the mathematics in one place at a time and asks whether a test notices: `./run mutations`.
//
// Works on a copy of the committed tree, under target/. Prints which tests fail for each break, and fails itself if one goes unnoticed.
// With --check it only looks whether the code still has each place that it would break; with --only=TEXT it breaks those alone whose words or file have this text.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

const CORE = "crates/dbm-core/src";

/** What is broken, where, and how: `from` must occur in `file` exactly once. */
const BREAKS = [
    {
        what: "the factor 2 of sign units, everywhere",
        file: `${CORE}/units.rs`,
        from: "self.high() - self.low()",
        to: "1.0",
    },
    {
        what: "the factor 2 of sign units, in the Gibbs draws alone",
        file: `${CORE}/sweep.rs`,
        from: "sigma_each(layer.fields, layer.units.gap(), 0.0, 1.0, decisions);",
        to: "sigma_each(layer.fields, 1.0, 0.0, 1.0, decisions);",
    },
    {
        what: "the factor 2 of sign units, in the conditional means alone",
        file: `${CORE}/chains.rs`,
        from: "sigma_each(self.fields[layer].row(chain), gap, low, gap, into);",
        to: "sigma_each(self.fields[layer].row(chain), 1.0, low, gap, into);",
    },
    {
        what: "the shared proposal: y gets one of its own",
        file: `${CORE}/coupling/mod.rs`,
        from: "        self.proposals += 1;\n",
        to: `        let own = self.chains.uniform_state(self.model, self.chain, self.stream);
        let own = Rc::new(StateWithEnergy { energy: self.model.energy(&own), state: own });
        let ends = (ends.0, pair_step(self.acceptance, u, (&own, own.energy), (x, x.energy), (y, y.energy)).1);
        self.proposals += 1;\n`,
    },
    {
        what: "the shared uniform: y draws one of its own",
        file: `${CORE}/coupling/mod.rs`,
        from: "        self.proposals += 1;\n",
        to: `        let own = self.stream.uniform();
        let ends = (ends.0, pair_step(self.acceptance, own, (&proposal, proposal.energy), (x, x.energy), (y, y.energy)).1);
        self.proposals += 1;\n`,
    },
    {
        what: "the shared uniform: y compares 1 - u",
        file: `${CORE}/coupling/mod.rs`,
        from: "(accepts(u, x, proposal), accepts(u, y, proposal))",
        to: "(accepts(u, x, proposal), accepts(1.0 - u, y, proposal))",
    },
    {
        what: "the common uniforms of the Gibbs coupling",
        file: `${CORE}/coupling/gibbs.rs`,
        from: "(is_high(u, p), is_high(u, q))",
        to: "(is_high(u, p), is_high(stream.uniform(), q))",
    },
    {
        what: "the clamping of v in the proposals of the positive phase",
        file: `${CORE}/chains.rs`,
        from: `.skip(usize::from(self.clamp == Clamp::Visible)) {
            stream.fill_coins(model.units().low(), model.units().high(), layer);
            if l == 0 {`,
        to: ` {
            stream.fill_coins(model.units().low(), model.units().high(), layer);
            if l == 0 && self.clamp != Clamp::Visible {`,
    },
    {
        what: "the clamping of known units in half-sweeps",
        file: `${CORE}/chains.rs`,
        from: "decisions[unit] = state[unit] - 0.5",
        to: "decisions[unit] += 0.0 * state[unit]",
    },
    {
        what: "the clamping of v in the conditional means of the corrections",
        file: `${CORE}/gradient/phase.rs`,
        from: "clamp.for_each_held(0, state[0].len(), |unit| means[0][unit] = state[0][unit]);",
        to: "if *clamp != Clamp::Visible { clamp.for_each_held(0, state[0].len(), |unit| means[0][unit] = state[0][unit]); }",
    },
    {
        what: "the clamping of v in the positive phase of CD",
        file: `${CORE}/gradient/cd.rs`,
        from: "            run.chains.randomize_all(run.model, &mut run.streams);\n",
        to: "            run.chains = crate::chains::Chains::free(run.model, run.rows.len());\n            run.chains.randomize_all(run.model, &mut run.streams);\n",
    },
    {
        what: "the freedom of missing visible units in the positive phase: clamped to what stands in their place",
        file: `${CORE}/gradient/batch.rs`,
        from: "self.observed.of_rows(&[row], self.visible.columns()).holds_all()",
        to: "row < self.visible.rows()",
    },
    {
        what: "the half of the marginalization",
        file: `${CORE}/gradient/moments.rs`,
        from: "let half = 0.5 * weight;",
        to: "let half = weight;",
    },
    {
        what: "the test before the first step of the coupling",
        file: `${CORE}/coupling/mod.rs`,
        from: "while !same(&x, &y) && time < cap {",
        to: "while (time == 1 || !same(&x, &y)) && time < cap {",
    },
    {
        what: "a weight of the particles forgotten: only that of the last point counts",
        file: `${CORE}/tempering/smc.rs`,
        from: "for_each(|(weight, increment)| *weight += increment);",
        to: "for_each(|(weight, increment)| *weight = *increment);",
    },
    {
        what: "resampling of particles without its factor in the estimate of Z",
        file: `${CORE}/tempering/smc.rs`,
        from: "log_z[run] += log_mean(log_weights);",
        to: "",
    },
    {
        what: "resampled particles that keep their weights",
        file: `${CORE}/tempering/smc.rs`,
        from: "log_weights.fill(0.0);",
        to: "",
    },
    {
        what: "a schedule from the step's own particles: points that none of them gains half a nat by are passed over",
        file: `${CORE}/tempering/smc.rs`,
        from: "        log_weights.iter_mut().zip(&increments)",
        to: `        if place + 1 < path.points.len() && std::ptr::eq(point.model, before.model) && increments.iter().all(|&gain| gain < 0.5) {
            continue;
        }
        log_weights.iter_mut().zip(&increments)`,
    },
    {
        what: "the acceptance of a run of particles, by the root of its ratio",
        file: `${CORE}/tempering/smc.rs`,
        from: "libm::exp((offered.log_z - of.run.log_z).min(0.0))",
        to: "libm::exp(0.5 * (offered.log_z - of.run.log_z).min(0.0))",
    },
    {
        what: "the shared uniform of coupled runs of particles: y compares 1 - u",
        file: `${CORE}/tempering/smc.rs`,
        from: "self.y = next(&y, a_y);",
        to: "self.y = if 1.0 - u < a_y { offered.clone() } else { y.clone() };",
    },
    {
        what: "the weight of the run that waste recycling stays at",
        file: `${CORE}/tempering/smc.rs`,
        from: "x.add((in_average + correction) * (1.0 - a_x));",
        to: "x.add(in_average + correction);",
    },
    {
        what: "the weight of the corrections of H_{k:m}, one too many",
        file: `${CORE}/tempering/smc.rs`,
        from: "(f64::from(t - k) * self.share()).min(1.0)",
        to: "(f64::from(t - k + 1) * self.share()).min(1.0)",
    },
    {
        what: "a start chosen by its own particles: the better of two runs",
        file: `${CORE}/gradient/ucd_smc.rs`,
        from: "            pairs.push(Some(Pair::new(&self.coupling, start)));",
        to: `            let (mut start, other) = (start, offered[pairs.len()].as_mut().expect("a run a pair"));
            if other.log_z > start.log_z {
                std::mem::swap(&mut start, other);
            }
            pairs.push(Some(Pair::new(&self.coupling, start)));`,
    },
    {
        what: "an exchange of rungs decided by half of its energies",
        file: `${CORE}/tempering/exchange.rs`,
        from: "if libm::log(stream.uniform()) < at_lower - at_upper {",
        to: "if libm::log(stream.uniform()) < at_lower {",
    },
    {
        what: "the energy of an upper rung's state at the lower rung",
        file: `${CORE}/tempering/exchange.rs`,
        from: "log_marginal(b, y, c, *held) - log_marginal(a, &down, c, *held)",
        to: "log_marginal(b, y, c, *held) - log_marginal(a, x, c, *held)",
    },
    {
        what: "the reciprocals of the weights of reverse annealing",
        file: `${CORE}/ais/estimate.rs`,
        from: "log_weights.iter().map(|w| -w).collect();",
        to: "log_weights.iter().map(|w| -0.5 * w).collect();",
    },
    {
        what: "the direction of reverse annealing: its transitions at the beta it comes from",
        file: `${CORE}/ais/reverse.rs`,
        from: "self.chains.transition(model, from);",
        to: "self.chains.transition(model, to);",
    },
];

const root = resolve(import.meta.dirname, "..");

const lost = BREAKS.filter(({ file, from }) => !existsSync(resolve(root, file)) || readFileSync(resolve(root, file), "utf8").split(from).length !== 2);
for (const { what, file, from } of lost) console.error(`${what}: ${file} should have exactly one ${JSON.stringify(from)}`);
if (lost.length > 0 || process.argv.includes("--check")) process.exit(lost.length > 0 ? 1 : 0);

const only = process.argv.find((arg) => arg.startsWith("--only="))?.slice("--only=".length) ?? "";
const chosen = BREAKS.filter(({ what, file }) => `${what} ${file}`.includes(only));

const copy = resolve(root, "target/mutations/tree");
const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" });

rmSync(copy, { recursive: true, force: true });
git("worktree", "prune");
git("worktree", "add", "--quiet", "--detach", copy);

function failingTests() {
    const tests = ["expectation::", "gradient::", "kernels::", "reference::", "exact::", "run::", "tempering::", "annealing::"];
    const run = spawnSync("cargo", ["test", "-p", "dbm-lab", "--test", "all", "--", ...tests], {
        cwd: copy,
        encoding: "utf8",
        maxBuffer: 1 << 28,
        // A broken coupling may never end.
        timeout: 600_000,
        env: { ...process.env, CARGO_TARGET_DIR: resolve(root, "target/mutations/build") },
    });
    if (/error(\[E\d+\])?: (?!test failed|\d+ targets? failed)/.test(run.stderr) && /could not compile/.test(run.stderr)) {
        throw new Error(`the broken code does not compile:\n${run.stderr.slice(-4000)}`);
    }
    const failed = [...run.stdout.matchAll(/^test (\S+) \.\.\. FAILED$/gm)].map((match) => match[1]);
    return run.error ? [...failed, "(and some test did not end)"] : failed;
}

let unnoticed = 0;
try {
    const sound = failingTests();
    if (sound.length > 0) throw new Error(`tests fail already: ${sound.join(", ")}`);
    for (const { what, file, from, to } of chosen) {
        const path = resolve(copy, file);
        const text = readFileSync(path, "utf8");
        writeFileSync(path, text.replace(from, () => to));
        const failed = failingTests();
        writeFileSync(path, text);
        console.log(`${what}\n${failed.length > 0 ? failed.map((name) => `    ${name}`).join("\n") : "    NOT NOTICED"}`);
        unnoticed += failed.length === 0 ? 1 : 0;
    }
} finally {
    git("worktree", "remove", "--force", copy);
}
console.log(`\n${chosen.length - unnoticed} of ${chosen.length} breaks noticed`);
process.exit(unnoticed === 0 ? 0 : 1);
