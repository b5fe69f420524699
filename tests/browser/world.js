// What the tests stand on: the built program, a browser with a profile of its own, and pictures of what it showed.

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
export const root = join(here, "..", "..");
const binary = process.env.BALCAO_BINARY || join(root, "target", "debug", "balcao");
const pictures = join(root, "target", "browser");
mkdirSync(pictures, { recursive: true });

const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];

/** Longest that anything is waited for, in milliseconds: it ends what hangs, and decides nothing else. */
const PATIENCE = 120_000;

const open = new Set();

/** Closes every window, also those of a test that failed. */
export async function closeAll() {
  for (const close of [...open]) await close();
}

/** A browser window; what its pages complain about is kept in `complaints`. */
export async function browse(options = {}) {
  const profile = mkdtempSync(join(tmpdir(), "balcao-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM || "/usr/bin/chromium", headless: true, args: ARGUMENTS, locale: "pt-BR",
    timezoneId: "America/Sao_Paulo", viewport: { width: 1440, height: 860 }, ...options,
  });
  context.setDefaultTimeout(PATIENCE);
  const complaints = [];
  const watch = (page) => {
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => { if (message.type() === "error") complaints.push(message.text()); });
  };
  context.pages().forEach(watch);
  context.on("page", watch);
  const close = async () => {
    open.delete(close);
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  };
  open.add(close);
  return { context, complaints, close, page: context.pages()[0] || (await context.newPage()) };
}

/** A new folder that is gone at the end. */
export const folder = () => mkdtempSync(join(tmpdir(), "balcao-shop-"));

const environment = (extra) => ({ PATH: process.env.PATH, HOME: tmpdir(), ...extra });

/** Runs the program to its end; gives what it said. */
export function run(cwd, args, extra = {}) {
  const done = spawnSync(binary, args, { cwd, env: environment(extra), encoding: "utf8" });
  if (done.status !== 0) throw new Error(`balcao ${args.join(" ")}: ${done.status}\n${done.stdout}${done.stderr}`);
  return done.stdout;
}

/** Starts the program; gives the first line that it says, when it says it, and a promise of its end. */
export async function start(cwd, args, extra = {}) {
  const child = spawn(binary, args, { cwd, env: environment(extra), stdio: ["ignore", "pipe", "pipe"] });
  let errors = "";
  child.stderr.on("data", (bytes) => { errors += bytes; });
  const ended = new Promise((done) => child.once("exit", done));
  const line = await new Promise((found, failed) => {
    let text = "";
    child.stdout.on("data", (bytes) => {
      text += bytes;
      if (text.includes("\n")) found(text.split("\n")[0]);
    });
    child.once("exit", (code) => failed(new Error(`balcao ${args.join(" ")} ended with ${code}: ${errors}`)));
  });
  return {
    line, ended,
    stop: async (signal = "SIGTERM") => { child.kill(signal); await ended; },
  };
}

/** The demo with its clock on a Tuesday morning, and the address that it printed. */
export async function demo() {
  const program = await start(folder(), ["demo", "--port", "0", "--model", "offline", "--now", "2026-11-24T10:00"]);
  return { address: program.line, stop: program.stop };
}

/** Serves pages by path on a port of this machine. */
export async function site(pages) {
  const server = createServer((request, response) => {
    const page = pages[request.url];
    response.writeHead(page ? 200 : 404, { "content-type": "text/html; charset=utf-8" });
    response.end(page || "");
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    origin: `http://127.0.0.1:${server.address().port}`, set: (path, page) => { pages[path] = page; },
    close: () => new Promise((done) => { server.closeAllConnections(); server.close(done); }),
  };
}

/** A port that nobody listens on now. */
export async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** Keeps a picture in target/browser/ to look at. */
export const picture = (page, name) => page.screenshot({ path: join(pictures, `${name}.png`) });

/** The messages that are shown in the chat, without times and marks: `["visitor: oi", "agent: Olá!"]`. */
export const shown = (page) =>
  page.locator(".message:not(.draft)").evaluateAll((all) =>
    all.map((one) => `${[...one.classList].find((name) => ["visitor", "agent", "staff"].includes(name))}: ${one.querySelector(".said").textContent}`));

/** Waits until `look` gives something; says what did not come. */
export async function eventually(what, look) {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`${what} did not come to pass`);
    await new Promise((done) => setTimeout(done, 50));
  }
}
