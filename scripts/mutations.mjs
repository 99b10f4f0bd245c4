// Breaks the mathematics in one place at a time and asks whether a test notices: `./run mutations`.
//
// Works on a copy of the committed tree, under target/. Prints which tests fail for each break, and fails itself if one goes unnoticed.
// With --check it only looks whether the code still has each place that it would break.

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
];

const root = resolve(import.meta.dirname, "..");

const lost = BREAKS.filter(({ file, from }) => !existsSync(resolve(root, file)) || readFileSync(resolve(root, file), "utf8").split(from).length !== 2);
for (const { what, file, from } of lost) console.error(`${what}: ${file} should have exactly one ${JSON.stringify(from)}`);
if (lost.length > 0 || process.argv.includes("--check")) process.exit(lost.length > 0 ? 1 : 0);

const copy = resolve(root, "target/mutations/tree");
const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" });

rmSync(copy, { recursive: true, force: true });
git("worktree", "prune");
git("worktree", "add", "--quiet", "--detach", copy);

function failingTests() {
    const tests = ["expectation::", "gradient::", "kernels::", "reference::", "exact::", "run::"];
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
    for (const { what, file, from, to } of BREAKS) {
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
console.log(`\n${BREAKS.length - unnoticed} of ${BREAKS.length} breaks noticed`);
process.exit(unnoticed === 0 ? 0 : 1);
