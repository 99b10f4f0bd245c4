// Has a service worker keep the page for visits without a network, and says when another version is ready. A browser that lends none goes without.

const HOUR = 3_600_000;
const PATIENCE = 120_000;

const { serviceWorker } = navigator;
const registered = later().then(() => serviceWorker.register("./sw.js", { updateViaCache: "none" }));
registered.then(follow, () => {}); // in a private window, say

/** When the pretrained model is here, so that nothing is taken from it; or after a while, where none comes. */
function later() {
  return new Promise((resolve) => {
    setTimeout(resolve, PATIENCE);
    const seen = (list) => list.getEntries().some(({ name }) => name.endsWith(".safetensors")) && resolve();
    new PerformanceObserver(seen).observe({ type: "resource", buffered: true });
  });
}

function follow(registration) {
  if (!registration) return;
  // Before the first visit's worker there was none, and what it keeps is what is on the page.
  const look = () => registration.waiting && serviceWorker.controller && offer(registration);
  const watch = () => registration.installing?.addEventListener("statechange", look);
  look();
  watch();
  registration.addEventListener("updatefound", watch);
  let asked = Date.now();
  document.addEventListener("visibilitychange", () => {
    if (document.hidden || Date.now() < asked + HOUR) return;
    asked = Date.now();
    registration.update().catch(() => {}); // without a network
  });
}

/** Says that another version waits. It comes at the visitor's word alone: a run may be in training. */
function offer(registration, text = "A new version is ready.") {
  const run = () => {
    if (!registration.waiting) return location.reload(); // another tab was quicker
    serviceWorker.oncontrollerchange = () => location.reload();
    serviceWorker.onmessage = () => offer(registration, "DBM Lab is open in another tab too: close it there, then press Reload here.");
    registration.waiting.postMessage("take over");
  };
  dispatchEvent(new CustomEvent("dbm-offer", { detail: { text, run } }));
}
