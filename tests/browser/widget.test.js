// The widget on somebody's own page, over `balcao serve`: one script tag, another origin, a server that dies.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { browse, closeAll, eventually, folder, freePort, picture, root, run, shown, site, start } from "./world.js";

const SECRET = { BALCAO__CHAT__SECRET: "a secret of a test that is long enough" };
/** Words that would change the page's title if they ran. */
const MARKUP = `<img src=x onerror="document.title=1"><script>document.title=2</script>`;

let shop, port, pages, server;

const serve = async () => { server = await start(shop, ["serve", "--model", "offline"], SECRET); };

before(async () => {
  shop = folder();
  port = await freePort();
  pages = await site({});
  const tag = (more = "") => `<script src="http://127.0.0.1:${port}/chat/widget.js" ${more}></script>`;
  const page = (body) => `<!doctype html><html lang="pt-BR"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Loja</title>
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src http://127.0.0.1:${port}; connect-src http://127.0.0.1:${port}; img-src data:">
    <link rel="icon" href="data:,"><h1>Barbearia</h1><p>Uma página qualquer.</p>${body}`;
  pages.set("/", page(tag()));
  // Nothing but the widget itself keeps markup from running here.
  pages.set("/open", `<!doctype html><html lang="pt-BR"><meta charset="utf-8"><title>Loja</title><link rel="icon" href="data:,">${tag()}`);
  pages.set("/english", page(tag('data-lang="en" data-title="Figueira" data-accent="#7a3e9d" data-suggestions="Prices?|Open today?"')));
  writeFileSync(join(shop, "balcao.toml"),
    `[server]\nlisten = "127.0.0.1:${port}"\nburst_window_ms = 0\nlease_s = 2\nallow_short_lease = true\n[chat]\nenabled = true\norigins = ["${pages.origin}"]\n`);
  run(shop, ["migrate"]);
  run(shop, ["seed", join(root, "samples", "barbearia-figueira.yaml")]);
  await serve();
});
after(async () => {
  await server.stop();
  await pages.close();
});

afterEach(closeAll);

const write = async (page, text) => {
  await page.getByRole("textbox", { name: /Mensagem|Message/ }).fill(text);
  await page.keyboard.press("Enter");
};

test("one tag puts a chat on a strict page of another origin, and the keyboard is enough", async () => {
  const { page, complaints, close } = await browse();
  await page.goto(pages.origin);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: /Conversa|Barbearia Figueira/ }).waitFor();
  await page.keyboard.type("quais os serviços?");
  await page.keyboard.press("Enter");
  await eventually("an answer", async () => (await shown(page)).length === 2);
  await picture(page, "widget-open");
  await page.keyboard.press("Escape");
  assert.equal(await page.getByRole("dialog").count(), 0);
  assert.equal(await page.evaluate(() => document.activeElement.shadowRoot.activeElement.className), "launcher");
  assert.deepEqual(complaints, []);
  await close();
});

test("a server that dies loses nothing: what was missed and what waited come once, in order", async () => {
  const { page, close } = await browse();
  await page.goto(pages.origin);
  await page.getByRole("button", { name: "Abrir o chat" }).click();
  await write(page, "oi");
  await eventually("an answer", async () => (await shown(page)).length === 2);
  await server.stop("SIGKILL");
  await page.getByText("Sem conexão").waitFor();
  await write(page, "vocês abrem sábado?");
  await page.locator(".message.visitor .state[aria-label=enviando]").waitFor();
  await picture(page, "widget-no-connection");
  // Meanwhile somebody of staff writes.
  const conversation = JSON.parse(run(shop, ["inbox", "--json", "list", "--all"])).find((one) => one.channel === "web" && one.last_message.length > 0);
  run(shop, ["inbox", "reply", `cnv_${conversation.id}`, "Oi, aqui é o Davi.", "--as", "davi@figueira.example"]);
  await serve();
  await eventually("what was missed", async () => (await shown(page)).includes("staff: Oi, aqui é o Davi."));
  await eventually("what waited is sent", async () => (await page.locator(".message.visitor .state[aria-label=enviada]").count()) === 2);
  await eventually("the connection", async () => !(await page.getByText("Sem conexão").isVisible()));
  const all = await shown(page);
  assert.equal(new Set(all).size, all.length, `nothing twice: ${all}`);
  assert.equal(all.length, 4);
  await page.reload();
  await page.getByRole("button", { name: "Abrir o chat" }).click();
  await eventually("the same conversation", async () => (await shown(page)).length === 4);
  await picture(page, "widget-after-restart");
  await close();
});

test("what could not be sent says so, and goes when it is told to", async () => {
  const { page, context, close } = await browse();
  await page.goto(pages.origin);
  await page.getByRole("button", { name: "Abrir o chat" }).click();
  await page.getByRole("textbox", { name: "Mensagem" }).waitFor();
  await context.route("**/chat/v1/messages", (route) => route.abort());
  await write(page, "oi");
  await page.getByText("não foi enviada").waitFor();
  await picture(page, "widget-failed");
  await context.unroute("**/chat/v1/messages");
  await page.getByRole("button", { name: "Tentar de novo" }).click();
  await eventually("an answer", async () => (await shown(page)).some((one) => one.startsWith("agent")));
  assert.equal((await shown(page)).filter((one) => one.startsWith("visitor")).length, 1);
  await close();
});

test("a file is attached, shown as one that can be saved, and what is not taken says why", async () => {
  const { page, complaints, close } = await browse();
  await page.goto(pages.origin);
  await page.getByRole("button", { name: "Abrir o chat" }).click();
  const choosing = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Anexar um arquivo" }).click();
  const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==", "base64");
  await (await choosing).setFiles({ name: "corte.png", mimeType: "image/png", buffer: png });
  await page.locator(".message.visitor .state[aria-label=enviada]").waitFor();
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Baixar corte.png" }).click();
  assert.equal((await saving).suggestedFilename(), "corte.png");
  await eventually("an answer", async () => (await shown(page)).some((one) => one.startsWith("agent")));
  await page.locator("input[type=file]").setInputFiles({ name: "foto.png", mimeType: "image/png", buffer: Buffer.from("MZ\u0000\u0001program") });
  await page.getByText("Este tipo de arquivo não é aceito.").waitFor();
  await page.locator("input[type=file]").setInputFiles({ name: "filme.mp4", mimeType: "video/mp4", buffer: Buffer.alloc(6 * 1024 * 1024) });
  await page.getByText("O arquivo é grande demais: até 5,2 MB.").waitFor();
  await picture(page, "widget-files");
  assert.deepEqual(complaints.filter((one) => !one.includes("415")), []);
  await close();
});

test("two visitors have two conversations, two windows of one visitor the same", async () => {
  const ana = await browse();
  const bia = await browse();
  for (const one of [ana, bia]) {
    await one.page.goto(pages.origin);
    await one.page.getByRole("button", { name: "Abrir o chat" }).click();
  }
  await write(ana.page, "sou a Ana");
  await write(bia.page, "sou a Bia");
  for (const one of [ana, bia]) await eventually("an answer", async () => (await shown(one.page)).length === 2);
  assert.ok(!(await shown(ana.page)).some((one) => one.includes("Bia")));
  assert.ok(!(await shown(bia.page)).some((one) => one.includes("Ana")));
  const second = await ana.context.newPage();
  await second.goto(pages.origin);
  await second.getByRole("button", { name: "Abrir o chat" }).click();
  await eventually("the same conversation", async () => (await shown(second)).length === 2);
  await write(second, "de outra janela");
  await eventually("both windows show it", async () => (await shown(ana.page)).includes("visitor: de outra janela"));
  await ana.close();
  await bia.close();
});

test("in English with other colours and suggestions, full screen on a small one", async () => {
  const { page, complaints, close } = await browse({ viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true });
  await page.goto(`${pages.origin}/english`);
  await page.getByRole("button", { name: "Open chat" }).click();
  await picture(page, "widget-small");
  await page.getByRole("button", { name: "Prices?" }).click();
  await eventually("an answer", async () => (await shown(page)).length === 2);
  const box = await page.getByRole("dialog").boundingBox();
  assert.deepEqual([box.x, box.y, box.width, box.height], [0, 0, 360, 640]);
  assert.deepEqual(complaints, []);
  await close();
});

test("a page that is not allowed gets no chat and says so", async () => {
  const other = await site({ "/": `<!doctype html><html lang="pt-BR"><script src="http://127.0.0.1:${port}/chat/widget.js"></script>` });
  const { page, close } = await browse();
  await page.goto(other.origin);
  await page.getByRole("button", { name: "Abrir o chat" }).click();
  await write(page, "oi");
  await page.getByText("não foi enviada").waitFor();
  await other.close();
  await close();
});

test("on a page without a policy what is said is words and never markup", async () => {
  const { page, close } = await browse();
  await page.goto(`${pages.origin}/open`);
  await page.getByRole("button", { name: "Abrir o chat" }).click();
  await write(page, `${MARKUP} [x](javascript:document.title=3) javascript:document.title=4`);
  await eventually("an answer", async () => (await shown(page)).length === 2);
  assert.ok((await shown(page))[0].includes(MARKUP));
  assert.equal(await page.locator(".message img, .message script, .message a").count(), 0);
  assert.equal(await page.title(), "Loja");
  await close();
});
