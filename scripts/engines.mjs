// Any browser engine through the one protocol that all of them speak, W3C WebDriver: Chromium with chromedriver, Firefox with geckodriver,
// WebKit with WebKitWebDriver and MiniBrowser, on a virtual screen. For tests and for `./run bench compare` across engines.
//
//     const firefox = await open("firefox");
//     await firefox.go("http://127.0.0.1:8080/#view=train");
//     await firefox.click("Train");
//     await firefox.close();
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { Builder } from "selenium-webdriver";

/** Time limit in seconds for a request: these machines may be busy. */
const PATIENCE = 120;

const ENGINES = {
  chromium: {
    driver: "chromedriver",
    browser: () => process.env.CHROMIUM ?? onPath(["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]),
    missing: "Chromium and its chromedriver: on Debian apt-get install chromium chromium-driver",
    capabilities: (binary, profile) => ({ browserName: "chrome", "goog:chromeOptions": { binary, args: ["--headless=new", "--no-sandbox", "--no-first-run", "--window-size=1280,1000", `--user-data-dir=${profile}`] } }),
  },
  firefox: {
    driver: "geckodriver",
    browser: () => process.env.FIREFOX ?? onPath(["firefox-esr", "firefox"]),
    missing: "Firefox and its geckodriver: on Debian apt-get install firefox-esr, then cargo install geckodriver",
    capabilities: (binary, profile) => ({ browserName: "firefox", "moz:firefoxOptions": { binary, args: ["-headless", "-profile", profile, "--width", "1280", "--height", "1000"] } }),
  },
  webkit: {
    driver: "WebKitWebDriver",
    browser: () => process.env.MINIBROWSER ?? miniBrowser(),
    screen: true,
    missing: "WebKitGTK's WebKitWebDriver and MiniBrowser, and Xvfb: on Debian apt-get install webkit2gtk-driver xvfb",
    capabilities: (binary) => ({ browserName: "MiniBrowser", "webkitgtk:browserOptions": { binary, args: ["--automation"] } }),
  },
};

/**
 * The engines to use: all, or those that ENGINES names (ENGINES=chromium,firefox). If a named one is not installed, that is an error that
 * says what to install.
 */
export function engines() {
  const named = (process.env.ENGINES ?? Object.keys(ENGINES).join()).split(",").filter(Boolean);
  for (const name of named) assert(ENGINES[name], `ENGINES names “${name}”; expected some of ${Object.keys(ENGINES).join(", ")}`);
  return named;
}

const isExecutable = (path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

const onPath = (names) => names.flatMap((name) => process.env.PATH.split(delimiter).map((folder) => join(folder, name))).find(isExecutable);

/** Next to WebKitGTK's libraries, where distributions put them. */
function miniBrowser() {
  const below = (folder) => {
    try {
      return readdirSync(folder).map((name) => join(folder, name));
    } catch {
      return [];
    }
  };
  const folders = ["/usr/lib", "/usr/lib64", "/usr/libexec"].flatMap((folder) => [folder, ...below(folder).filter((path) => path.endsWith("-linux-gnu"))]);
  return folders.flatMap(below).filter((path) => /webkit2?gtk-[\d.]+$/.test(path)).map((path) => join(path, "MiniBrowser")).find(isExecutable);
}

const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** A virtual screen; resolves to it and its name once it is up. */
function screen() {
  const process = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", "1400x1100x24", "-nolisten", "tcp"], { stdio: ["ignore", "ignore", "ignore", "pipe"] });
  return new Promise((resolve, reject) => {
    process.once("error", reject);
    process.once("exit", () => reject(new Error("Xvfb ended before it had a screen")));
    process.stdio[3].once("data", (number) => resolve({ process, name: `:${String(number).trim()}` }));
  });
}

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Starts an engine with a new profile and no page; resolves to an {@link Engine}. */
export async function open(name) {
  const { driver, browser, missing, screen: needsScreen } = ENGINES[name];
  const [command, binary] = [onPath([driver]), browser()];
  assert(command && binary && (!needsScreen || onPath(["Xvfb"])), `${name} is not installed. ./run setup brings it, or by hand ${missing}. To go without it: ENGINES=${Object.keys(ENGINES).filter((other) => other !== name).join()}`);
  const own = { name, binary, profile: mkdtempSync(join(tmpdir(), `dbm-${name}-`)), processes: [] };
  const environment = { ...process.env };
  // Root cannot create its sandbox.
  if (process.getuid?.() === 0) environment.WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS = "1";
  if (needsScreen) {
    own.screen = await screen();
    own.processes.push(own.screen.process);
    environment.DISPLAY = own.screen.name;
  }
  own.port = await freePort();
  own.processes.push(spawn(command, [`--port=${own.port}`], { env: environment, stdio: "ignore" }));
  const engine = new Engine(own);
  await engine.start();
  return engine;
}

/** A browser driven as a visitor would use it. Functions passed to it run in the page, and see only their arguments. */
class Engine {
  constructor(own) {
    Object.assign(this, own);
  }

  async start() {
    const server = `http://127.0.0.1:${this.port}`;
    for (let tries = 0; !(await fetch(`${server}/status`).then((answer) => answer.ok, () => false)); tries += 1) {
      assert(tries < 10 * PATIENCE && this.processes.at(-1).exitCode === null, `${ENGINES[this.name].driver} does not answer`);
      await wait(100);
    }
    this.driver = await new Builder().disableEnvironmentOverrides().usingServer(server).withCapabilities(ENGINES[this.name].capabilities(this.binary, this.profile)).build();
    this.version = (await this.driver.getCapabilities()).get("browserVersion");
    await this.driver.manage().setTimeouts({ script: 1000 * PATIENCE, pageLoad: 1000 * PATIENCE });
  }

  /** Opens a page. Firefox reports that it is open while the previous page is still there. */
  async go(address) {
    await this.driver.get(address);
    await this.until(address, (address) => location.href.split("#")[0] === address && document.readyState === "complete", address.split("#")[0]);
  }

  /** The result of a function in the page; it may be a promise. */
  evaluate = (body, ...values) =>
    this.driver
      .executeAsyncScript(`const done = arguments[arguments.length - 1]; Promise.resolve((${body})(...Array.from(arguments).slice(0, -1))).then((value) => done({ value }), (error) => done({ error: String(error) }));`, ...values)
      .then((answer) => (answer?.error ? assert.fail(answer.error) : answer?.value)); // nothing if the page was closed meanwhile

  /** Waits until a function returns a true value in the page, and returns it. */
  async until(what, body, ...values) {
    const end = Date.now() + 1000 * PATIENCE;
    for (;;) {
      const now = await this.evaluate(body, ...values);
      if (now) return now;
      if (Date.now() > end) assert.fail(`${this.name}: ${what} did not come in ${PATIENCE} s; the page shows: ${(await this.text()).slice(0, 1500)}\nMessages: ${await this.messages()}`);
      await wait(50);
    }
  }

  /** All messages so far, including those that have left the strip. */
  async messages() {
    await this.evaluate(() => document.querySelector(".notices summary")?.click());
    await wait(500);
    return this.evaluate(() => document.querySelector(".notices")?.innerText);
  }

  text = () => this.evaluate(() => document.body.innerText);

  /** Waits until the page shows this text, a string or a regular expression; returns the line that contains it. */
  shows = (expected) =>
    this.until(`“${expected.source ?? expected}”`, (pattern) => document.body.innerText.split("\n").find((line) => new RegExp(pattern).test(line)), expected.source ?? expected.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));

  /** The button with this name, once it can be pressed. */
  button(name) {
    const find = (name) => [...document.querySelectorAll("button")].find((button) => !button.disabled && button.checkVisibility() && (button.getAttribute("aria-label") ?? button.textContent.trim()) === name);
    return this.until(`the button “${name}”`, find, name);
  }

  /** Lets the driver press the button with this name, once it can be pressed. Drivers consider a button under the message strip to be in view. */
  async click(name) {
    const button = await this.button(name);
    await this.evaluate((button) => button.scrollIntoView({ block: "nearest", behavior: "instant" }), button);
    await button.click();
  }

  /**
   * Presses the button with this name with the pointer, down for 90 ms like a hand; resolves to whether it got the press, and by how many
   * pixels it moved until half a second later.
   */
  async press(name) {
    const button = await this.button(name);
    await this.evaluate((button) => {
      button.scrollIntoView({ block: "nearest", behavior: "instant" });
      const { left, top } = button.getBoundingClientRect();
      window.pressed = { clicked: false, moved: 0 };
      addEventListener("click", ({ target }) => (window.pressed.clicked ||= button.contains(target)), true);
      requestAnimationFrame(function look() {
        const now = button.getBoundingClientRect();
        if (now.width) window.pressed.moved = Math.max(window.pressed.moved, Math.abs(now.left - left), Math.abs(now.top - top));
        requestAnimationFrame(look);
      });
    }, button);
    await this.driver.actions().move({ origin: button, duration: 0 }).press().pause(90).release().perform();
    await wait(500);
    return this.evaluate(() => window.pressed);
  }

  /** Sets the page's width and height, as far as the engine allows; resolves to the actual size. */
  async resize(width, height) {
    const inner = () => this.evaluate(() => [innerWidth, innerHeight]);
    const window = this.driver.manage().window();
    for (let tries = 0; tries < 3; tries++) {
      const [[w, h], outer] = [await inner(), await window.getRect()];
      if (w === width && h === height) break;
      await window.setRect({ width: outer.width + width - w, height: outer.height + height - h });
      await wait(100); // the page is notified later
    }
    return inner();
  }

  /** Gives a file to the input with this name. */
  async upload(name, path) {
    const find = (name) => [...document.querySelectorAll("input[type=file]")].find((input) => (input.getAttribute("aria-label") ?? input.labels[0]?.textContent.trim()) === name);
    await (await this.until(`the input “${name}”`, find, name)).sendKeys(path);
  }

  /**
   * Closes the page as a visitor would, with all its workers, and opens `address` again: in the same browser, restarted with its stored
   * data, or in another window if the driver's sessions do not keep any data. Returns which of the two.
   */
  async reopen(address) {
    if (this.name === "webkit") {
      const [old] = await this.driver.getAllWindowHandles();
      await this.driver.switchTo().newWindow("window");
      const fresh = await this.driver.getWindowHandle();
      await this.driver.switchTo().window(old);
      await this.driver.close();
      await this.driver.switchTo().window(fresh);
      await this.go(address);
      return "another window";
    }
    await this.driver.quit();
    await this.start();
    await this.go(address);
    return "the browser restarted";
  }

  screenshot = async (path) => writeFileSync(path, await this.driver.takeScreenshot(), "base64");

  async close() {
    await this.driver?.quit().catch(() => {});
    for (const process of this.processes) process.kill();
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
