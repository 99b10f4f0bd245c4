// Serves dist/, or the build that DIST names, like any static host, plus the headers that make the page cross-origin isolated
// (SharedArrayBuffer, precise timers) and let isolated pages on other hosts embed it. Run directly, it serves at http://127.0.0.1:$PORT, or
// below $BASE (/dbm-lab/, for example); when imported, `serve` gives tests a server.
import { createReadStream, readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, resolve, sep } from "node:path";
import { pipeline } from "node:stream";
import { fileURLToPath } from "node:url";
import { createGzip } from "node:zlib";

/** The built page. */
export const DIST = process.env.DIST ? resolve(process.env.DIST) : fileURLToPath(new URL("../dist", import.meta.url));

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".csv": "text/csv; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".mjs": "text/javascript; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};
/** The types that static hosts send in gzip. */
const SQUEEZED = /^text\/|json|svg|wasm/;

const HEADERS = {
  "Cache-Control": "no-cache",
  "X-Content-Type-Options": "nosniff",
};

/** The page says the same in a meta element; workers follow the headers of their own files. */
const POLICY = readFileSync(fileURLToPath(new URL("../index.html", import.meta.url)), "utf8").match(/Content-Security-Policy" content="([^"]+)"/)[1];

const ISOLATION = {
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "cross-origin",
};

/** The file for a request's path, only if inside `root`; undefined if there is none. */
async function fileFor({ root, base }, url) {
  try {
    const asked = decodeURIComponent(new URL(url, "http://localhost").pathname);
    if (!asked.startsWith(base)) return undefined;
    const inside = `/${asked.slice(base.length)}`;
    const path = join(root, inside.endsWith("/") ? `${inside}index.html` : inside);
    const found = await stat(path);
    return path.startsWith(root + sep) && found.isFile() ? { path, size: found.size, tag: `"${found.size}-${found.mtimeMs}"` } : undefined;
  } catch {
    return undefined; // malformed or missing
  }
}

async function answer(options, headers, request, response) {
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.writeHead(405, { ...headers, Allow: "GET, HEAD" }).end();
    return;
  }
  const [path, search] = request.url.split(/(?=\?)/);
  if (`${path}/` === options.base) {
    response.writeHead(301, { ...headers, Location: `${options.base}${search ?? ""}` }).end();
    return;
  }
  const file = await fileFor(options, request.url);
  if (!file) {
    response.writeHead(404, { ...headers, "Content-Type": TYPES[".txt"] }).end("Not found\n");
    return;
  }
  const type = TYPES[extname(file.path)] ?? "application/octet-stream";
  const own = { ...headers, ETag: file.tag, "Content-Type": type };
  const ignore = () => {}; // a visitor who leaves midway is not an error
  if (request.headers["if-none-match"] === file.tag) {
    response.writeHead(304, own).end();
  } else if (options.gzip && SQUEEZED.test(type) && request.method === "GET") {
    response.writeHead(200, { ...own, "Content-Encoding": "gzip" });
    pipeline(createReadStream(file.path), createGzip({ level: 9 }), response, ignore);
  } else {
    response.writeHead(200, { ...own, "Content-Length": file.size });
    if (request.method === "HEAD") response.end();
    else pipeline(createReadStream(file.path), response, ignore);
  }
}

/**
 * Serves `root` at `port` (0: any free one), below the path `base`, with or without the isolation headers and gzip; resolves to the server
 * once it listens.
 */
export function serve({ root = DIST, port = 0, base = "/", isolated = true, gzip = false } = {}) {
  const headers = isolated ? { ...HEADERS, ...ISOLATION, "Content-Security-Policy": POLICY } : HEADERS;
  const server = createServer((request, response) => answer({ root, base, gzip }, headers, request, response));
  return new Promise((done, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => done(server));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const port = Number(process.env.PORT ?? 8080);
  const base = process.env.BASE ?? "/";
  try {
    const server = await serve({ port, base });
    console.log(`DBM Lab is at http://127.0.0.1:${server.address().port}${base} (Ctrl+C ends it)`);
  } catch (error) {
    const taken = `port ${port} is taken: end what uses it, or choose another, e.g. PORT=8081 npm start`;
    console.error(`error: ${error.code === "EADDRINUSE" ? taken : error.message}`);
    process.exit(1);
  }
}
