// An operator connects the business to Google Calendar: the consent page in a browser, and the way back to the program.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { browse, closeAll, folder, picture, root, run, start } from "./world.js";

let google, shop;

before(async () => {
  const child = spawn(join(root, "target", "debug", "examples", "fake-google"), { stdio: ["pipe", "pipe", "inherit"] });
  const address = await new Promise((found) => child.stdout.once("data", (bytes) => found(String(bytes).trim())));
  google = { address, stop: () => child.stdin.end() };
  shop = folder();
  writeFileSync(join(shop, "balcao.toml"), `[google]
client_id = "1234-balcao.apps.googleusercontent.example"
client_secret = "GOCSPX-fake-secret"
base_url = "${address}"
`);
  run(shop, ["migrate"]);
  run(shop, ["seed", join(root, "samples", "barbearia-figueira.yaml")]);
});
after(() => google.stop());
afterEach(closeAll);

/** Starts the command, opens the page that it names, and lets the person act on it. */
async function connect(act) {
  const program = await start(shop, ["calendar", "connect"]);
  const window = await browse();
  await window.page.goto(program.line);
  await window.page.getByRole("heading", { name: /wants access/ }).waitFor();
  await act(window.page);
  await window.page.getByRole("heading", { name: "Balcão", exact: true }).waitFor();
  const text = await window.page.locator("main").textContent();
  await program.ended;
  return { ...window, text };
}

const tokens = () => join(shop, "google.tokens.json");

test("a person who says no, or unticks a box, connects nothing", async () => {
  const denied = await connect((page) => page.getByRole("button", { name: "Cancel" }).click());
  assert.match(denied.text, /Not connected: the consent was denied/);
  await denied.close();
  const partly = await connect(async (page) => {
    await page.getByLabel("calendar.events.owned").uncheck();
    await page.getByRole("button", { name: "Continue" }).click();
  });
  assert.match(partly.text, /rights are missing: calendar.events.owned/);
  await picture(partly.page, "consent-incomplete");
  assert.equal(existsSync(tokens()), false);
});

test("a person who grants everything connects the business", async () => {
  const granted = await connect((page) => page.getByRole("button", { name: "Continue" }).click());
  assert.match(granted.text, /Connected/);
  assert.deepEqual(granted.complaints, []);
  await picture(granted.page, "consent-granted");
  assert.match(readFileSync(tokens(), "utf8"), /"org_1"/);
  assert.match(run(shop, ["calendar", "list"]), /dona@example\.test.*may write/);
  assert.equal(run(shop, ["calendar", "disconnect"]).trim(), "disconnected");
});
