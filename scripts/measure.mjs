// What the benchmarks in Chromium share: the built page, or the one that DIST names, served; a browser; and a failure said in one line.
import { launch } from "./chromium.mjs";
import { serve } from "./serve.mjs";

/** Runs `body(browser, url)`, and closes both afterwards. */
export async function measure(body) {
  const server = await serve(process.env.DIST ? { root: process.env.DIST } : {});
  const browser = await launch();
  try {
    await body(browser, `http://127.0.0.1:${server.address().port}/`);
  } catch (error) {
    console.error(`error: ${error.message}`);
    process.exitCode = 1;
  } finally {
    await browser.close();
    server.close();
  }
}
