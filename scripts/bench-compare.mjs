// Compares dbm run natively, the page in Chromium and Firefox, and PyTorch on the same work, in turns, so that other load on the machine
// affects all of them alike. The results are printed, and stored by machine in docs/performance.csv, replacing the earlier ones of the same
// machine.
//     node scripts/bench-compare.mjs PYTHON THREADS DBM [DBM WITHOUT AVX-512]
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { engines } from "./engines.mjs";
import { millisecondsPerStep } from "./steps-in-browser.mjs";

/** The presets of `dbm bench` that time training steps, and their hidden layers. */
const STEPS = { "mnist-500": [500, 500], "mnist-1000": [1000, 500] };
const SWEEPS = "sweeps-500";
const TURNS = 3;
const PROTOCOL = { "warm-up": 30, steps: 20, runs: 3 };
/** A sweep takes a few milliseconds: twenty of them would be over before anything could be measured. */
const PROTOCOL_OF_SWEEPS = { ...PROTOCOL, steps: 200 };
/** The page updates its counter ten times a second: a measurement there takes several seconds. */
const PROTOCOL_OF_PAGE = { warmUp: 30, steps: 100, runs: 3 };
const SHARDS = 4; // of a batch of 100: no more workers can share a step
const NAMES = { chromium: "Chromium", firefox: "Firefox" };
/** Tells PyTorch and its math libraries not to use AVX-512. */
const AVX2 = { ATEN_CPU_CAPABILITY: "avx2", MKL_ENABLE_INSTRUCTIONS: "AVX2", ONEDNN_MAX_CPU_ISA: "AVX2" };
const PERFORMANCE = fileURLToPath(new URL("../docs/performance.csv", import.meta.url));
const COLUMNS = ["machine", "work", "program", ...Array.from({ length: TURNS }, (_, turn) => `milliseconds_${turn + 1}`), "median"].join(",");

const [python, threadsGiven, dbm, dbmAvx2] = process.argv.slice(2);
const threads = Number(threadsGiven);
if (!dbm || !(threads >= 1)) {
  console.error("error: a Python with torch, a number of threads and the command dbm were expected: use ./run bench compare");
  process.exit(2);
}

/** The last line of a command's output, in JSON. */
function run(command, args, env = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", env: { ...process.env, ...env } });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr}`);
  return JSON.parse(stdout.trim().split("\n").at(-1));
}

const options = (preset) => ["--json", "--preset", preset, "--threads", String(threads), ...Object.entries(preset === SWEEPS ? PROTOCOL_OF_SWEEPS : PROTOCOL).flatMap(([name, value]) => [`--${name}`, String(value)])];
const milliseconds = (said) => said.milliseconds_per_step ?? said.milliseconds_per_sweep;
const natively = (command, preset) => milliseconds(run(command, ["bench", ...options(preset)]));
const byPyTorch = (preset, env) => milliseconds(run(python, ["benches/pytorch_baseline.py", ...options(preset)], env));

/** The numbers of workers that share the page's run, in turn. */
const WORKERS = [1, 2, 4].filter((count) => count <= Math.min(cpus().length, SHARDS));

/** Those that ENGINES selects. */
const browsers = engines().filter((name) => name in NAMES);
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const { vector_unit: unit } = run(dbm, ["bench", "--json", "--data", "bars", "--hidden", "8", "--warm-up", "0", "--steps", "1", "--runs", "1"]);
const { torch } = run(python, ["benches/pytorch_baseline.py", "--json", "--preset", SWEEPS, "--warm-up", "1", "--steps", "1", "--runs", "1"]);
const without = unit === "AVX-512" && dbmAvx2 ? "AVX2" : undefined;
const units = [unit, ...(without ? [without] : [])];
const rival = (unit) => `PyTorch ${torch}, ${unit}`;

const machine = `${cpus()[0].model.trim()}, ${threads} threads, ${unit}`;
const rows = [];
for (const preset of [...Object.keys(STEPS), SWEEPS]) {
  const times = new Map();
  const add = (name, ms) => times.set(name, [...(times.get(name) ?? []), ms]);
  for (let turn = 0; turn < TURNS; turn++) {
    add(rival(unit), byPyTorch(preset));
    if (without) add(rival(without), byPyTorch(preset, AVX2));
    add(`dbm, ${unit}`, natively(dbm, preset));
    if (without) add(`dbm, ${without}`, natively(dbmAvx2, preset));
    for (const name of preset === SWEEPS ? [] : browsers) {
      for (const workers of WORKERS) {
        const measurement = { hidden: STEPS[preset], workers, ...PROTOCOL_OF_PAGE };
        const { version, milliseconds: ms } = await millisecondsPerStep(name, measurement);
        add(`${NAMES[name]} ${version.split(".")[0]}, ${workers} worker${workers > 1 ? "s" : ""}`, ms);
      }
    }
  }
  for (const [program, turns] of times) {
    const milliseconds = [...turns, median(turns)].map((ms) => ms.toFixed(preset === SWEEPS ? 2 : 1));
    rows.push(`"${machine}",${preset},"${program}",${milliseconds.join(",")}`);
    const ratios = units.map((unit) => `${(median(times.get(rival(unit))) / median(turns)).toFixed(1)} times as fast as ${rival(unit)}`);
    console.log(`${preset}, ${program}: ${milliseconds.at(-1)} ms, ${ratios.join(", ")}`);
  }
}

const others = readFileSync(PERFORMANCE, "utf8").trim().split("\n").slice(1).filter((row) => !row.startsWith(`"${machine}",`));
writeFileSync(PERFORMANCE, [COLUMNS, ...others, ...rows, ""].join("\n"));
console.log(`saved in docs/performance.csv as: ${machine}`);
