// A reply that is seen while it is written: the widget, `balcao serve`, and a service of the OpenAI protocol that says half and waits.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { browse, closeAll, eventually, folder, freePort, picture, root, run, shown, site, start } from "./world.js";

let shop, port, pages, server, model;

const serve = async () => {
  server = await start(shop, ["serve"], {
    BALCAO__CHAT__SECRET: "a secret of a test that is long enough", OPENAI_API_KEY: "sk-of-a-test", OPENAI_BASE_URL: model.address,
  });
};

/** Says the parts of `model.reply` one by one, each when the test lets it. */
async function modelService() {
  const state = { reply: [], released: 0, waiting: [] };
  const service = createServer((request, response) => {
    request.resume();
    request.on("end", async () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const chunk = (delta, finish = null) =>
        response.write(`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "fake", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
      chunk({ role: "assistant", content: "" });
      for (const [place, part] of state.reply.entries()) {
        if (place >= state.released) await new Promise((go) => state.waiting.push(go));
        chunk({ content: part });
      }
      chunk({}, "stop");
      response.end("data: [DONE]\n\n");
    });
  });
  await new Promise((done) => service.listen(0, "127.0.0.1", done));
  state.address = `http://127.0.0.1:${service.address().port}/v1`;
  state.release = () => { state.released += 1; state.waiting.shift()?.(); };
  state.close = () => new Promise((done) => { service.closeAllConnections(); service.close(done); });
  return state;
}

before(async () => {
  shop = folder();
  port = await freePort();
  model = await modelService();
  pages = await site({});
  pages.set("/", `<!doctype html><html lang="pt-BR"><meta charset="utf-8"><title>Loja</title><link rel="icon" href="data:,">
    <h1>Barbearia</h1><script src="http://127.0.0.1:${port}/chat/widget.js"></script>`);
  writeFileSync(join(shop, "balcao.toml"),
    `[server]\nlisten = "127.0.0.1:${port}"\nburst_window_ms = 0\n[chat]\nenabled = true\norigins = ["${pages.origin}"]\n`);
  run(shop, ["migrate"]);
  run(shop, ["seed", join(root, "samples", "barbearia-figueira.yaml")]);
  await serve();
});
after(async () => {
  await server.stop();
  await model.close();
  await pages.close();
});
afterEach(closeAll);

test("nothing stays of a reply that a person cut off while the page was away", async () => {
  const { page, close } = await browse();
  await page.goto(pages.origin);
  await page.getByRole("button", { name: "Abrir o chat" }).click();
  model.reply = ["Oi! Tudo bem por aqui. ", "Trabalhamos com hora marcada."];
  model.released = 1;
  await page.getByRole("textbox", { name: "Mensagem" }).fill("oi");
  await page.keyboard.press("Enter");
  await page.locator(".message.draft").waitFor();
  await server.stop("SIGKILL");
  await page.getByText("Sem conexão").waitFor();
  const [waiting] = JSON.parse(run(shop, ["inbox", "list", "--all", "--json"])).slice(-1);
  run(shop, ["inbox", "take", String(waiting.id ?? waiting.conversation), "--as", "davi@figueira.example"]);
  await serve();
  await page.getByText("Davi entrou na conversa").waitFor();
  assert.equal(await page.locator(".message.draft").count(), 0);
  await close();
});

test("a reply is seen sentence by sentence, is read aloud once, and is one message in the end", async () => {
  const { page, complaints, close } = await browse();
  await page.goto(pages.origin);
  await page.getByRole("button", { name: "Abrir o chat" }).click();
  model.released = 0;
  model.reply = ["Oi! Tudo bem por aqui. Trabalhamos ", "com hora marcada. Como posso ", "ajudar?"];
  model.release();
  await page.getByRole("textbox", { name: "Mensagem" }).fill("oi, boa tarde");
  await page.keyboard.press("Enter");
  const draft = page.locator(".message.draft");
  await draft.waitFor();
  const said = () => draft.locator(".said").textContent();
  assert.match(await said(), /^Oi! Tudo bem por aqui\.$/, "half a sentence is not shown");
  assert.equal(await draft.getAttribute("aria-hidden"), "true");
  assert.equal(await page.locator(".typing").isVisible(), false);
  await picture(page, "widget-draft");
  // A second window that opens in the middle sees as much.
  const second = await page.context().newPage();
  await second.goto(pages.origin);
  await second.getByRole("button", { name: "Abrir o chat" }).click();
  await second.locator(".message.draft", { hasText: "Tudo bem por aqui." }).waitFor();
  model.release();
  await eventually("the second sentence", async () => /com hora marcada\.$/.test(await said()));
  model.release();
  await draft.waitFor({ state: "detached" });
  for (const one of [page, second]) {
    await eventually("the message", async () => (await shown(one)).length === 2);
    assert.deepEqual(await shown(one), [
      "visitor: oi, boa tarde", "agent: Oi! Tudo bem por aqui. Trabalhamos com hora marcada. Como posso ajudar?"]);
  }
  assert.deepEqual(complaints, []);
  await close();
});
