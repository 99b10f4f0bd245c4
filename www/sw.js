// The service worker: keeps all files of one version of the page, and answers from them, so that a page and its workers are always of one version.
// scripts/finish-page.mjs puts the built files and their SHA-256 where FILES stands, a hash of these where VERSION stands, and the page's policy where POLICY stands.
//
// An update is fetched whole, beside the version in use, and takes over when no page of that is open any more, or one page alone and its visitor asks for it.
// Models that not every visitor asks for are kept once they were.
// Only listed files are ever kept or answered; whatever else the page asks for, of its own host or of others, goes its way as if this were not here.

const KEPT = new Map(Object.entries(FILES));
const { scope } = registration;
const BASE = new URL(scope).pathname;
const PREFIX = `dbm-lab page ${BASE} `;
const CACHE = PREFIX + "VERSION";
const DIGEST = "X-SHA-256";
/** What is kept when it is first asked for. */
const LATER = /^models\/(?!deep\.)/;
/** What a server should send, and many a static host does not: with it pages are isolated from other origins, workers share memory, and isolated pages of others may embed it. */
const HEADERS = {
  "Content-Security-Policy": "POLICY",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "cross-origin",
  "X-Content-Type-Options": "nosniff",
};

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(clear()));
addEventListener("message", (event) => event.data === "take over" && event.waitUntil(takeOver(event.source)));
addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  const { href, pathname } = new URL(url);
  if (method !== "GET" || !href.startsWith(scope)) return;
  const path = pathname.slice(BASE.length).replace(/^index\.html$/, "");
  if (KEPT.has(path) && (path !== "" || mode === "navigate")) event.respondWith(answer(path, event));
});

/** Keeps all files, the page itself last: where that is, all are. */
async function install() {
  const cache = await caches.open(CACHE);
  const put = async ([path, digest]) => {
    const found = (await known(path, digest)) ?? (LATER.test(path) ? null : await fetched(path, digest));
    if (found) await cache.put(scope + path, found);
  };
  await Promise.all([...KEPT].filter(([path]) => path).map(put));
  await put(["", KEPT.get("")]);
}

/** The file as this or an earlier version keeps it, if it is the same. */
async function known(path, digest) {
  for (const name of await caches.keys()) {
    if (!name.startsWith(PREFIX)) continue;
    const found = await (await caches.open(name)).match(scope + path);
    if (found?.headers.get(DIGEST) === digest) return wrapped(found, found.body, digest);
  }
}

/** The file from the browser's own cache, where the page's first visit has left it, or else from the server: the very file that was built, or an error. */
async function fetched(path, digest) {
  for (const cache of ["force-cache", "reload"]) {
    const response = await fetch(scope + path, { cache });
    const bytes = await response.arrayBuffer();
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    if (response.ok && digest === Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("")) return wrapped(response, bytes, digest);
  }
  throw new Error(`${path || "index.html"} is not that of version VERSION`);
}

function wrapped({ headers }, body, digest) {
  const type = headers.get("Content-Type") ?? "application/octet-stream";
  return new Response(body, { headers: { ...HEADERS, "Content-Type": type, [DIGEST]: digest } });
}

async function answer(path, event) {
  const cache = await caches.open(CACHE);
  const found = (await cache.match(scope)) && (await cache.match(scope + path));
  if (found) return found;
  if (LATER.test(path)) event.waitUntil(fetched(path, KEPT.get(path)).then((file) => cache.put(scope + path, file), () => {}));
  // The browser has thrown the files away: all of them come from the server, until all of this version are here again.
  if (!path) event.waitUntil(install().catch(() => {}));
  return fetch(event.request);
}

async function clear() {
  for (const name of await caches.keys()) if (name.startsWith(PREFIX) && name !== CACHE) await caches.delete(name);
}

/** Takes over from the version before, unless other pages than the one that asks are open: those keep their own files. */
async function takeOver(page) {
  const open = await clients.matchAll({ type: "window", includeUncontrolled: true });
  if (open.some(({ id, url }) => id !== page.id && url.startsWith(scope))) page.postMessage("others");
  else await skipWaiting();
}
