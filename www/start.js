// Starts the page. Where the browser lacks something, or the program does not come, it says so.
// scripts/finish-page.mjs puts the names of built files into it.

/** A function that returns a vector of sixteen bytes, as a wasm program. */
const SIMD = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11];
const NEEDS = {
  "WebAssembly with SIMD": () => WebAssembly.validate(new Uint8Array(SIMD)),
  "workers that are modules": () => {
    let asked;
    try {
      new Worker("http://[", { get type() { asked = true; } }); // an address that is none: options are read, and nothing is started
    } catch {}
    return asked;
  },
  "64-bit integers in arrays": () => BigInt64Array,
  "dialog elements": () => HTMLDialogElement,
};

const has = (test) => {
  try {
    return test();
  } catch {}
};

const starting = document.getElementById("starting");
const say = (text) => {
  starting.lastElementChild.remove();
  const said = document.createElement("p");
  said.setAttribute("role", "alert");
  said.textContent = text;
  starting.append(said);
};

const lacks = Object.keys(NEEDS).filter((name) => !has(NEEDS[name]));
if (lacks.length) {
  say(`This browser lacks ${lacks.join(", ")}. DBM Lab needs Chrome, Edge, Firefox or Safari of 2023 or later, with none of this switched off.`);
} else {
  // The worker's program comes beside the page's own, before the model takes the line; the worker finds it in the browser's cache.
  if (!navigator.serviceWorker?.controller) fetch("./dbm-worker-wasm_bg.wasm").then((response) => response.arrayBuffer()).catch(() => {});
  try {
    const { default: start } = await import("LAB.js");
    await start({ module_or_path: "LAB_bg.wasm" });
    starting.remove();
  } catch (error) {
    say(`DBM Lab could not be started (${error.message}). Check the connection, then reload the page.`);
    throw error;
  }
  // One view inside another page fetches only what it needs.
  if (!new URLSearchParams(location.search).has("embed") && navigator.serviceWorker) import("OFFLINE");
}
