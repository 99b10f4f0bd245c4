// Shared by the tests of the service worker.

import { enabled, goTo, until } from "./browser.mjs";
import { press } from "./hand.mjs";

/** Waits until the page's files are stored and the service worker would answer for the next page. */
export const installed = (page) =>
  until(
    () => page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.active?.state === "activated" && (await caches.match(new URL("./", document.baseURI))) !== undefined),
    Boolean,
    "a service worker",
  );

/** Completes the picture in the Complete view, once a model is open, and stays there. */
export async function complete(page) {
  await goTo(page, "Complete");
  await press(page, enabled(page, "Complete"), { timeout: 120_000 });
  await page.getByText(/distinct/).first().waitFor({ timeout: 120_000 });
}

/** Ends a server at once, including its connections. */
export function stop(server) {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
}
