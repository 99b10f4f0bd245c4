// Data from elsewhere: MNIST from its mirrors, and ?data=…, with servers that are slow, cut short, wrong or down. No request leaves this
// machine.
//
// MNIST itself is needed to test success: MNIST=folder names one with the four gzipped files, as on its mirrors.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { serve } from "../../scripts/serve.mjs";
import { lab, slowly, steps, until } from "./browser.mjs";
import { press } from "./hand.mjs";

const HOSTS = ["cdn.jsdelivr.net", "raw.githubusercontent.com", "ossci-datasets.s3.amazonaws.com", "storage.googleapis.com"];
const IMAGES = "train-images-idx3-ubyte";
const SIZE = 47_040_016;

// What the folder data/ next to the page answers, what other hosts answer, and what was requested of both.
let here;
let elsewhere;
let asked;
let server;

const notThere = (_, response) => response.writeHead(404).end("Not found\n");
const refuse = (route) => route.abort("connectionrefused");
const send = (body, headers = {}) => (_, response) => response.writeHead(200, { "Content-Length": body.length, "Cache-Control": "no-store", ...headers }).end(body);

before(async () => {
  server = await serve();
  const [files] = server.listeners("request");
  server.removeAllListeners("request").on("request", (request, response) => {
    if (!request.url.startsWith("/data/")) return files(request, response);
    asked.push(request.url);
    here(request, response);
  });
});

after(() => {
  server.closeAllConnections();
  server.close();
});

/** A test body like that of `lab`, with the test's own answers; the browser's own messages about failed data requests are not errors. */
function fetching(options, body) {
  const prepare = async (page) => {
    [here, elsewhere, asked] = [options.here ?? notThere, options.elsewhere ?? refuse, []];
    await page.context().route(/^https:/, (route) => {
      asked.push(route.request().url());
      return elsewhere(route);
    });
  };
  return lab({ view: "train", ...options, host: () => server, prepare }, async (it) => {
    await body(it);
    const expected = /^(did not load: |console: Failed to load resource|console: Access to fetch).*(\/data\/|https:)/;
    it.errors.splice(0, it.errors.length, ...it.errors.filter((error) => !expected.test(error)));
  });
}

const button = (page, name) => page.getByRole("button", { name, exact: true });
const enabled = (page, name) => button(page, name).and(page.locator(":enabled"));
const data = (page) => page.getByLabel("Data set", { exact: true });
const idle = (page) => enabled(page, "Train").waitFor({ timeout: 60_000 });
const said = (page, text) => page.getByRole("alert").filter({ hasText: text });

/** Chooses MNIST and waits for the message that it is not available; closes it. */
async function failure(page, text, timeout = 60_000) {
  await data(page).selectOption("mnist");
  const notice = said(page, text);
  await notice.waitFor({ timeout });
  const words = await notice.locator("p").textContent();
  await press(page, notice.getByRole("button", { name: "Dismiss this notice" }));
  assert.equal(await page.getByLabel("Files read").count(), 0, "nothing is being read any more");
  return words;
}

/** The data in use can still be trained on. */
async function trainsOn(page, choice) {
  assert.equal(await data(page).inputValue(), choice);
  const from = await steps(page);
  await press(page, enabled(page, "Step"));
  await until(() => steps(page), (n) => n === from + 1, `a step on ${choice}`);
}

test("where every mirror is down, each is named, and the data in use can be trained on", fetching({}, async ({ page, screenshot }) => {
  await idle(page);
  await data(page).selectOption("mnist");
  await said(page, "MNIST could not be fetched").waitFor();
  await screenshot("mnist-down");
  const words = await said(page, "MNIST could not be fetched").locator("p").textContent();
  const refused = HOSTS.map((host) => `${host.replaceAll(".", "\\.")}: Failed to fetch`).join("; ");
  assert.match(words, new RegExp(`^MNIST could not be fetched: 127\\.0\\.0\\.1:\\d+: the server answered 404 Not Found; ${refused}\\. The data in use stay;`));
  assert.deepEqual(asked.map((address) => new URL(address, "http://here").host), ["here", ...HOSTS], "each was asked once");
  await trainsOn(page, "digits");
  await data(page).selectOption("bars");
  await page.getByText(/30 examples, 4 × 4/).waitFor();
  elsewhere = (route) => route.fulfill({ status: 503 });
  assert.match(await failure(page, "the server answered 503"), /storage\.googleapis\.com: the server answered 503/);
  await trainsOn(page, "bars");
}));

slowly("what is not MNIST is refused, with what is wrong", fetching({}, async ({ page }) => {
  const idx = (size) => Buffer.concat([Buffer.from([0, 0, 8, 3, 0, 0, 0xea, 0x60, 0, 0, 0, 28, 0, 0, 0, 28]), Buffer.alloc(size - 16)]);
  const whole = gzipSync(idx(SIZE));
  const breakOff = (_, response) => {
    response.writeHead(200, { "Content-Length": whole.length });
    response.write(whole.subarray(0, 20_000), () => response.destroy());
  };
  await idle(page);
  for (const [what, answer, words] of [
    ["fewer bytes than announced", breakOff, new RegExp(`network error after \\d+ of ${whole.length} bytes`)],
    ["a connection that breaks at once", (_, response) => response.destroy(), /127\.0\.0\.1:\d+: Failed to fetch/],
    ["a gzip cut short", send(whole.subarray(0, whole.length / 2)), /train-images-idx3-ubyte.*(gzip|cut|end)/i],
    ["an error page with 200", send(Buffer.from("<!doctype html><title>Not here</title>")), /train-images-idx3-ubyte from 127\S+: 47040016 bytes were expected, but got 38/],
    ["nothing", send(Buffer.alloc(0)), /47040016 bytes were expected, but got 0/],
    ["a smaller IDX", send(gzipSync(idx(16 + 10 * 784))), /47040016 bytes were expected, but got 7856/],
    ["a larger one", send(gzipSync(Buffer.alloc(SIZE + 1_000_000))), /127/],
    ["another file of that size", send(gzipSync(Buffer.alloc(SIZE))), /an IDX file was expected, but it begins with \[0, 0, 0, 0\]/],
    ["other pictures of that size", send(whole), /its SHA-256 is [0-9a-f]{64} instead of ba891046/],
  ]) {
    here = answer;
    const message = await failure(page, words);
    assert.ok(message.startsWith("MNIST could not be fetched: "), `${what}: ${message}`);
    assert.ok(!/panick|unreachable/.test(message), `${what}: ${message}`);
  }
  await trainsOn(page, "digits");
}));

slowly("a slow mirror shows how far it has come, and Cancel or another choice stops it at once", fetching({}, async ({ page, screenshot }) => {
  let closed = 0;
  here = (_, response) => {
    response.writeHead(200, { "Content-Length": 1_000_000 });
    const drop = setInterval(() => response.write(Buffer.alloc(5_000)), 100);
    response.on("close", () => {
      clearInterval(drop);
      closed += 1;
    });
  };
  await idle(page);
  const progress = page.getByLabel("Files read");
  const come = () => progress.evaluate((bar) => bar.value);
  const begin = async () => {
    await data(page).selectOption("mnist");
    await page.getByText(new RegExp(`^Fetching ${IMAGES} from 127\\.0\\.0\\.1:\\d+$`)).waitFor();
    assert.equal(await progress.evaluate((bar) => bar.max), 1_000_000);
    const first = await come();
    await until(come, (now) => now > first, "more has come");
  };
  await begin();
  await trainsOn(page, "mnist");
  await screenshot("mnist-slow");
  await press(page, button(page, "Cancel"));
  assert.equal(await progress.count(), 0);
  await trainsOn(page, "digits");
  await until(() => closed, (n) => n === 1, "the server is left alone");
  await begin();
  await data(page).selectOption("bars");
  assert.equal(await progress.count(), 0);
  await page.getByText(/30 examples, 4 × 4/).waitFor();
  await until(() => closed, (n) => n === 2, "the server is left alone");
  await begin();
  const csv = Buffer.from(Array.from({ length: 20 }, (_, r) => `${r % 2},${(r >> 1) % 2},${(r >> 2) % 2}`).join("\n"));
  await page.getByLabel("Upload data set").setInputFiles({ name: "mine.csv", mimeType: "text/csv", buffer: csv });
  await page.getByRole("dialog").waitFor();
  await until(() => closed, (n) => n === 3, "the server is left alone");
  await press(page, button(page, "Use this data"));
  await page.getByText(/^20 examples/).waitFor();
  assert.equal(await page.getByRole("alert").count(), 0, "none of this is an error");
  assert.equal(asked.length, 3, "no other mirror was asked");
}));

slowly("a mirror that falls silent is given up", fetching({}, async ({ page }) => {
  // Two visitors at once, because each waits for the maximum silence of a mirror: one gets no answer, the other only a beginning.
  const other = await page.context().newPage();
  await other.goto(page.url());
  await Promise.all([page, other].map(idle));
  here = () => {};
  const first = failure(page, /127\.0\.0\.1:\d+: nothing arrived for 15 s; cdn/, 90_000);
  await until(() => asked.length, (n) => n === 1, "the first asks");
  here = (_, response) => response.writeHead(200, { "Content-Length": 1_000_000 }).write(Buffer.alloc(5_000));
  await Promise.all([first, failure(other, /127\.0\.0\.1:\d+: nothing arrived for 15 s after 5000 of 1000000 bytes; cdn/, 90_000)]);
  await trainsOn(page, "digits");
  await trainsOn(other, "digits");
}));

slowly("a cache that holds something else is not believed", fetching({}, async ({ page }) => {
  await idle(page);
  await page.evaluate(async (name) => {
    const cache = await caches.open("dbm-lab-data");
    await cache.put(`./${name}.gz?sha256=ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db`, new Response("no MNIST"));
  }, IMAGES);
  await failure(page, "MNIST could not be fetched");
  assert.equal(asked.length, 1 + HOSTS.length, "the mirrors were asked");
}));

const folder = process.env.MNIST;
test("MNIST comes from the second mirror where the first fails, then from the cache, and again where the cache is damaged", { skip: folder ? false : "MNIST=folder names no copy of it" }, fetching({}, async ({ page }) => {
  const file = (name) => readFileSync(join(folder, name));
  const name = (address) => new URL(address, "http://here").pathname.split("/").at(-1);
  elsewhere = (route) => route.fulfill({ body: file(name(route.request().url())), headers: { "Access-Control-Allow-Origin": "*" } });
  const fetched = async () => {
    asked = [];
    await idle(page);
    await data(page).selectOption("mnist");
    await page.getByText(/^60000 examples, 28 × 28, \d+\.\d % ones$/).waitFor({ timeout: 120_000 });
    return asked.map((address) => [new URL(address, "http://here").host, name(address)]);
  };
  const both = [IMAGES, "train-labels-idx1-ubyte"].map((name) => `${name}.gz`);
  const way = both.flatMap((name) => [["here", name], [HOSTS[0], name]]);
  assert.deepEqual(await fetched(), way);
  await press(page, enabled(page, "Step"));
  await until(() => steps(page), (n) => n === 1, "a step on MNIST");
  await page.reload();
  assert.deepEqual(await fetched(), [], "the second visit asks nobody");
  await page.evaluate(async () => {
    const cache = await caches.open("dbm-lab-data");
    const [key] = (await cache.keys()).filter(({ url }) => url.includes("images"));
    const bytes = await (await cache.match(key)).arrayBuffer();
    await cache.put(key, new Response(bytes.slice(0, bytes.byteLength / 2)));
  });
  // This time from the folder next to the page, on a host that sends "Content-Encoding: gzip" for gzipped files.
  here = (request, response) => send(file(name(request.url)), { "Content-Encoding": "gzip" })(request, response);
  await page.reload();
  assert.deepEqual(await fetched(), [["here", both[0]]], "what was damaged, and only that");
  await page.reload();
  assert.deepEqual(await fetched(), []);
}));

const TABLE = Buffer.from(`a,b,c\n${Array.from({ length: 20 }, (_, r) => `${r % 2},${(r >> 1) % 2},${(r >> 2) % 2}`).join("\n")}\n`);

test("?data= of the page's own host is shown before it is used", fetching({ search: "?data=data/folder/table.csv", here: send(TABLE) }, async ({ page }) => {
  const dialog = page.getByRole("dialog", { name: "table.csv" });
  await dialog.getByText("20 rows, 3 columns.").waitFor();
  assert.deepEqual(asked, ["/data/folder/table.csv"]);
  await press(page, button(page, "Use this data"));
  await page.getByText(/^20 examples/).waitFor();
  assert.match(await data(page).locator("option:checked").textContent(), /table\.csv/);
}));

const refusals = [
  ["a host that is not listed", "?data=https://elsewhere.example/x.csv", /^https:\/\/elsewhere\.example\/x\.csv: this page may fetch data from its own host and from cdn\.jsdelivr\.net, .*www\.openml\.org only; download the file and drop it here$/],
  ["a host whose name only begins like a listed one", "?data=https://zenodo.org.elsewhere.example/x.csv", /this page may fetch data from its own host/],
  ["a user before an @", "?data=https://zenodo.org@elsewhere.example/x.csv", /this page may fetch data from its own host/],
  ["http where https is listed", "?data=http://zenodo.org/x.csv", /this page may fetch data from its own host/],
  ["an address of script", "?data=javascript:alert(1)", /^javascript:alert\(1\): this page may fetch/],
  ["an address of data", "?data=data:text/csv,0,1", /^data:text\/csv,0,1: this page may fetch/],
  ["no address", "?data=http://[", /^http:\/\/\[: this is not an address; give one like \?data=folder\/table\.csv$/],
  ["a file that is not there", "?data=data/none.csv", /^data\/none\.csv: the server answered 404 Not Found; check the address, or download the file and drop it here$/],
  ["markup", `?data=${encodeURIComponent("data/<img src=x onerror=alert(1)>")}`, /^data\/<img src=x onerror=alert\(1\)>: the server answered 404/],
  ["a listed host that is down", "?data=https://zenodo.org/x.csv", /^https:\/\/zenodo\.org\/x\.csv: Failed to fetch; check the address/],
];
/** One that the page refuses, and one that its server does not have. */
const OFTEN = ["a host whose name only begins like a listed one", "markup"];
for (const [what, search, words] of refusals) {
  (OFTEN.includes(what) ? test : slowly)(`?data= of ${what} is refused with a word`, fetching({ search }, async ({ page }) => {
    await page.getByRole("alert").waitFor({ timeout: 60_000 });
    assert.match(await page.getByRole("alert").locator("p").textContent(), words);
    assert.ok(asked.length === 0 || /404|Failed/.test(words.source), `asked ${asked}`);
    assert.equal(await page.locator("img").count(), 0);
    await idle(page);
    await trainsOn(page, "digits");
  }));
}

const cors = (origin) => (route) => route.fulfill({ body: TABLE, headers: { "Access-Control-Allow-Origin": origin } });

test("?data= of a listed host that lets this page read is shown", fetching({ search: "?data=https://zenodo.org/records/1/table.csv?download=1", elsewhere: cors("*") }, async ({ page }) => {
  await page.getByRole("dialog", { name: "table.csv" }).getByText("20 rows, 3 columns.").waitFor();
  assert.deepEqual(asked, ["https://zenodo.org/records/1/table.csv?download=1"]);
}));

slowly("?data= of a listed host that lets others read, but not this page, is reported", fetching({ search: "?data=https://zenodo.org/records/1/table.csv", elsewhere: cors("https://other.example") }, async ({ page }) => {
  await said(page, "https://zenodo.org/records/1/table.csv: Failed to fetch; check the address, or download the file and drop it here").waitFor();
  await idle(page);
  await trainsOn(page, "digits");
}));
