// Reads back what the page saved, with other programs than ours: numpy, Pillow and pandas, from the Python that PYTHON names or from
// `python3`. If there is none with these packages, the few lines below do it, and that is reported.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const PROGRAM = `
import json, sys
import numpy, pandas
from PIL import Image

def npy(path):
    array = numpy.load(path)
    return {"shape": list(array.shape), "type": str(array.dtype), "values": array.ravel().tolist()}

def csv(path, header=0):
    cells = pandas.read_csv(path, dtype=str, keep_default_na=False, header=header)
    missing = pandas.read_csv(path, header=header).isna()
    return {"names": [str(name) for name in cells.columns], "rows": cells.values.tolist(), "missing": missing.sum().tolist()}

def log(path):
    frame = pandas.read_json(path) if path.endswith(".json") else pandas.read_csv(path)
    return {"names": list(frame.columns), "steps": [int(step) for step in frame["step"]]}

def picture(path):
    image = Image.open(path)
    image.load()
    grey = numpy.asarray(image.convert("L"))
    return {"format": image.format, "width": image.width, "height": image.height, "values": grey.ravel().tolist()}

print("ready", flush=True)
for line in sys.stdin:
    what, arguments = json.loads(line)
    try:
        print(json.dumps({"answer": globals()[what](*arguments)}), flush=True)
    except Exception as error:
        print(json.dumps({"error": f"{what}: {error!r}"}), flush=True)
`;

/**
 * Functions that read files back: `npy`, `csv` (with `null` for no header), `log` and `picture`, each by path; `by` names the reader,
 * `close` ends it.
 */
export async function rereader() {
  for (const python of process.env.PYTHON ? [process.env.PYTHON] : ["python3", "python"]) {
    if (spawnSync(python, ["-c", "import numpy, pandas, PIL"]).status === 0) return byPython(python);
  }
  console.log("no Python with numpy, pandas and Pillow was found (PYTHON=… names one): what the page saves is read back by JavaScript instead");
  return byHand;
}

async function byPython(python) {
  const child = spawn(python, ["-c", PROGRAM], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  assert.equal((await lines.next()).value, "ready");
  const ask = (what) => async (...given) => {
    child.stdin.write(`${JSON.stringify([what, given])}\n`);
    const { value } = await lines.next();
    const { answer, error } = JSON.parse(value);
    assert.equal(error, undefined);
    return answer;
  };
  return { by: "numpy, Pillow and pandas", npy: ask("npy"), csv: ask("csv"), log: ask("log"), picture: ask("picture"), close: () => child.stdin.end() };
}

/** Rows of cells. */
export function parseCsv(text) {
  const rows = [];
  let [row, cell, quoted] = [[], "", false];
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (text[at + 1] === '"') cell += text[++at];
      else quoted = false;
    } else if (letter === '"') quoted = true;
    else if (letter === "," || letter === "\n") {
      row.push(cell.replace(/\r$/, ""));
      cell = "";
      if (letter === "\n") {
        rows.push(row);
        row = [];
      }
    } else cell += letter;
  }
  if (cell || row.length) rows.push([...row, cell]);
  return rows;
}

const byHand = {
  by: "JavaScript",
  async npy(path) {
    const bytes = readFileSync(path);
    assert.equal(bytes.toString("latin1", 0, 6), "\x93NUMPY");
    const end = 10 + bytes.readUInt16LE(8);
    const header = bytes.toString("latin1", 10, end);
    const shape = header.match(/'shape': \(([\d, ]+)\)/)[1].split(",").filter((size) => size.trim()).map(Number);
    assert.match(header, /'descr': '\|u1', 'fortran_order': False/);
    const values = [...bytes.subarray(end)];
    assert.equal(values.length, shape.reduce((product, size) => product * size, 1));
    return { shape, type: "uint8", values };
  },
  async csv(path, header = 0) {
    const rows = parseCsv(readFileSync(path, "utf8"));
    const names = header === null ? rows[0].map((_, at) => String(at)) : rows.shift();
    for (const row of rows) assert.equal(row.length, names.length);
    const missing = names.map((_, at) => rows.filter((row) => ["", "NA", "NaN", "nan"].includes(row[at])).length);
    return { names, rows, missing };
  },
  async log(path) {
    const text = readFileSync(path, "utf8");
    if (path.endsWith(".json")) {
      const rows = JSON.parse(text);
      return { names: Object.keys(rows[0]), steps: rows.map((row) => row.step) };
    }
    const [names, ...rows] = parseCsv(text);
    return { names, steps: rows.map((row) => Number(row[names.indexOf("step")])) };
  },
  async picture(path) {
    const bytes = readFileSync(path);
    if (bytes.readUInt32BE(0) !== 0x89504e47) return { format: "JPEG" };
    return { format: "PNG", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  },
  close() {},
};
