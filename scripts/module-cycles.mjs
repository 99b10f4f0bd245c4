// Prints the cycles between the modules of a crate, by file and by top-level folder, and the lines of Rust per crate; fails if there is a
// cycle.
//
//     node scripts/module-cycles.mjs [CRATE... | --all] [--uses]     (without a crate: dbm-web; --uses also prints who uses whom, by folder)
//
// A use counts from the file that names an item to the file that defines it: a re-export (`pub use`) is resolved, and does not count as a
// use by the parent that makes it. So a child may use an item of its parent's own file only if that file does not itself use the child;
// code in `#[cfg(test)]` is ignored.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";

const ROOT = path.dirname(import.meta.dirname);

// ---- Reading a file
/** The source with comments, strings and test code blanked out; line numbers are unchanged. */
function code(source) {
  const blank = (text) => text.replaceAll(/[^\n]/g, " ");
  const plain = source.replaceAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|\bb?r(#*)"[\s\S]*?"\1|b?"(?:\\[\s\S]|[^"\\])*"|b?'(?:\\[^']+|[^\\'\n])'/g, blank);
  return plain.replaceAll(/#\[cfg\(test\)\]/g, "\0").split("\0").map((part, index) => {
    if (index === 0) return part;
    const end = endOfItem(part);
    return blank(" ".repeat(12)) + blank(part.slice(0, end)) + part.slice(end);
  }).join("");
}

/** The end of the item at the beginning of this text: its semicolon, or its closing brace. */
function endOfItem(text) {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if ("{[(".includes(text[at])) depth++;
    if ("}])".includes(text[at])) depth--;
    if (depth === 0 && (text[at] === ";" || text[at] === "}")) return at + 1;
  }
  return text.length;
}

/** The paths of a use tree, `a::{b, c as d}` as `a::b` and `a::c`, each with its local name. */
function expand(tree, before = []) {
  const text = tree.trim();
  const brace = text.indexOf("{");
  if (brace >= 0) {
    const start = text.slice(0, brace).split("::").map((part) => part.trim()).filter(Boolean);
    return parts(text.slice(brace + 1, text.lastIndexOf("}"))).flatMap((part) => expand(part, [...before, ...start]));
  }
  const [, whole, as] = /^([\s\S]*?)(?:\s+as\s+(\w+))?$/.exec(text);
  const segments = [...before, ...whole.split("::").map((part) => part.trim().replace(/^r#/, "")).filter(Boolean)];
  if (segments.at(-1) === "self" && segments.length > 1) segments.pop();
  return segments.length ? [{ segments, name: as ?? segments.at(-1) }] : [];
}

/** Splits a list at its outer commas. */
function parts(list) {
  const found = [""];
  let depth = 0;
  for (const sign of list) {
    if (sign === "{") depth++;
    if (sign === "}") depth--;
    if (sign === "," && depth === 0) found.push("");
    else found[found.length - 1] += sign;
  }
  return found.filter((part) => part.trim());
}

const lineOf = (text, at) => text.slice(0, at).split("\n").length;

/** A module and its descendants, each with its file, children, imports, items and the paths that its code names. */
function load(file, name, parent, modules) {
  const text = code(readFileSync(file, "utf8"));
  const imports = [];
  const rest = text.replaceAll(/(\bpub(?:\([^)]*\))?\s+)?\buse\s+([^;]+);/g, (whole, visibility, tree, at) => {
    for (const one of expand(tree)) imports.push({ ...one, exported: Boolean(visibility), line: lineOf(text, at) });
    return whole.replaceAll(/[^\n]/g, " ");
  });
  const items = new Set([...rest.matchAll(/\b(?:fn|struct|enum|trait|type|const|static|union|macro_rules!)\s+(\w+)/g)].map((found) => found[1]));
  const paths = [...rest.matchAll(/(?<![\w:])\w+(?:::\w+)+/g)].map((found) => ({ segments: found[0].split("::"), line: lineOf(rest, found.index) }));
  const self = { name, file, parent, children: new Map(), imports, items, paths, words: new Set(rest.match(/\w+/g)) };
  modules.push(self);
  const folder = parent && path.basename(file) !== "mod.rs" ? path.join(path.dirname(file), path.basename(file, ".rs")) : path.dirname(file);
  for (const [, child] of rest.matchAll(/\bmod\s+(\w+)\s*;/g)) {
    const place = [path.join(folder, `${child}.rs`), path.join(folder, child, "mod.rs")].find(existsSync);
    if (place) self.children.set(child, load(place, name === "crate" ? child : `${name}::${child}`, self, modules));
  }
  return self;
}

// ---- Who uses whom
/** The module that defines what a path names, as seen from `module`; undefined if it is in another crate. */
function resolve(module, segments, seen = new Set()) {
  let [first, ...rest] = segments;
  if (first === "crate") {
    let root = module;
    while (root.parent) root = root.parent;
    return descend(root, rest, seen);
  }
  if (first === "self") return descend(module, rest, seen);
  if (first === "super") {
    let above = module.parent;
    while (rest[0] === "super") above = above?.parent, rest = rest.slice(1);
    return above && descend(above, rest, seen);
  }
  return knows(module, first, seen) ? descend(module, segments, seen) : undefined;
}

const knows = (module, name) => module.children.has(name) || module.imports.some((one) => one.name === name);

function descend(module, segments, seen) {
  const [name, ...rest] = segments;
  if (name === undefined || name === "*") return module;
  const child = module.children.get(name);
  if (child) return descend(child, rest, seen);
  if (module.items.has(name)) return module;
  const key = `${module.name} ${name}`;
  if (seen.has(key)) return undefined;
  seen.add(key);
  const named = module.imports.find((one) => one.name === name && one.segments.at(-1) !== "*");
  if (named) return resolve(module, [...named.segments, ...rest], seen);
  for (const glob of module.imports.filter((one) => one.segments.at(-1) === "*")) {
    const target = resolve(module, glob.segments.slice(0, -1), new Set(seen));
    if (target && (target.children.has(name) || target.items.has(name) || target.imports.some((one) => one.exported && one.name === name))) return descend(target, segments, seen);
  }
  return module; // defined by a macro, for example
}

/** For each module, the modules it uses, with the line of the use. */
function uses(modules) {
  const found = new Map(modules.map((module) => [module, new Map()]));
  const add = (from, to, line) => to && to !== from && !found.get(from).has(to) && found.get(from).set(to, line);
  for (const module of modules) {
    for (const one of module.imports) if (!(one.exported && !module.words.has(one.name))) add(module, resolve(module, one.segments), one.line);
    for (const one of module.paths) add(module, resolve(module, one.segments), one.line);
  }
  return found;
}

// ---- Cycles
/** The sets of two or more nodes that reach one another (Tarjan's algorithm). */
function components(graph) {
  const index = new Map(), low = new Map(), stack = [], found = [];
  const visit = (node) => {
    index.set(node, index.size);
    low.set(node, index.get(node));
    stack.push(node);
    for (const next of graph.get(node).keys()) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node), low.get(next)));
    }
    if (low.get(node) !== index.get(node)) return;
    const component = stack.splice(stack.indexOf(node));
    if (component.length > 1) found.push(component);
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return found;
}

/** A shortest path from a node back to itself, within a component. */
function circle(graph, component) {
  let best;
  for (const start of component) {
    const from = new Map(), queue = [start];
    for (const node of queue) {
      for (const next of graph.get(node).keys()) {
        if (next === start) {
          const way = [start];
          for (let back = node; back !== start; back = from.get(back)) way.splice(1, 0, back);
          if (!best || way.length < best.length) best = way;
        } else if (component.includes(next) && !from.has(next)) {
          from.set(next, node);
          queue.push(next);
        }
      }
    }
  }
  return best;
}

const folderOf = (module) => module.name.split("::")[0];

/** The same graph by top-level folder or file of the crate. */
function byFolder(graph) {
  const folders = new Map([...graph.keys()].map((module) => [folderOf(module), new Map()]));
  for (const [module, used] of graph) {
    for (const [other, line] of used) {
      const [from, to] = [folderOf(module), folderOf(other)];
      if (from !== to && !folders.get(from).has(to)) folders.get(from).set(to, `${path.relative(ROOT, module.file)}:${line}`);
    }
  }
  return folders;
}

function report(title, graph, name, where) {
  const found = components(graph);
  console.log(`${title}: ${graph.size} modules, ${found.length ? `${found.length} cycles` : "no cycle"}`);
  for (const component of found) {
    const way = circle(graph, component);
    console.log(`  a shortest one: ${[...way, way[0]].map(name).join(" -> ")}`);
    console.log(`  ${component.length} that reach one another, and what they use of these:`);
    for (const node of component.sort((one, other) => (name(one) < name(other) ? -1 : 1))) {
      for (const [next, line] of graph.get(node)) if (component.includes(next)) console.log(`    ${name(node)} -> ${name(next)}   ${where(node, line)}`);
    }
  }
  return found.length;
}

/** Prints the cycles of a crate, and returns their number. */
function crate(name, showUses) {
  const source = path.join(ROOT, "crates", name, "src");
  const root = ["lib.rs", "main.rs"].map((file) => path.join(source, file)).find(existsSync);
  if (!root) throw new Error(`there is no crate '${name}' in crates/`);
  const modules = [];
  load(root, "crate", undefined, modules);
  const graph = uses(modules);
  const folders = byFolder(graph);
  const cycles = report(`${name}, by file`, graph, (module) => module.name, (module, line) => `${path.relative(ROOT, module.file)}:${line}`)
    + report(`${name}, by folder`, folders, (folder) => folder, (_, line) => line);
  if (showUses) for (const [folder, used] of [...folders].sort()) console.log(`  ${folder}: ${[...used.keys()].sort().join(" ") || "-"}`);
  return cycles;
}

// ---- Lines
function lines() {
  const counts = new Map();
  for (const file of execFileSync("git", ["-C", ROOT, "ls-files", "-z", "*.rs"], { encoding: "utf8" }).split("\0").filter(Boolean)) {
    if (!existsSync(path.join(ROOT, file))) continue;
    const [first, second] = file.split("/");
    const group = first === "crates" ? `crates/${second}` : first;
    counts.set(group, (counts.get(group) ?? 0) + readFileSync(path.join(ROOT, file), "latin1").split("\n").length - 1);
  }
  console.log("Lines of Rust:");
  for (const [group, count] of [...counts].sort()) console.log(`  ${group.padEnd(26)} ${String(count).padStart(6)}`);
  console.log(`  ${"all".padEnd(26)} ${String([...counts.values()].reduce((sum, count) => sum + count, 0)).padStart(6)}`);
}

const words = process.argv.slice(2);
const named = words.filter((word) => !word.startsWith("--"));
const crates = words.includes("--all") ? readdirSync(path.join(ROOT, "crates")).sort() : named.length ? named : ["dbm-web"];
const cycles = crates.reduce((sum, name) => sum + crate(name, words.includes("--uses")), 0);
lines();
process.exitCode = cycles ? 1 : 0;
