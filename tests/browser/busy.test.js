// The widget where too much waits already: a page of another origin reads when it may come again, and says so.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { browse, closeAll, eventually, folder, freePort, picture, root, run, shown, site, start } from "./world.js";

let shop, port, pages, server;

// What a visitor writes waits a minute for more: it fills what may wait.
before(async () => {
  shop = folder();
  port = await freePort();
  pages = await site({});
  const page = (more) => `<!doctype html><html lang="pt-BR"><meta charset="utf-8"><title>Loja</title><link rel="icon" href="data:,">
    <script src="http://127.0.0.1:${port}/chat/widget.js" ${more}></script>`;
  pages.set("/", page(""));
  pages.set("/english", page('data-lang="en"'));
  writeFileSync(join(shop, "balcao.toml"),
    `[server]\nlisten = "127.0.0.1:${port}"\nmax_waiting = 1\nburst_window_ms = 60000\n[chat]\nenabled = true\norigins = ["${pages.origin}"]\n`);
  run(shop, ["migrate"]);
  run(shop, ["seed", join(root, "samples", "barbearia-figueira.yaml")]);
  server = await start(shop, ["serve", "--model", "offline"], { BALCAO__CHAT__SECRET: "a secret of a test that is long enough" });
});
after(async () => {
  await server?.stop();
  await pages.close();
});

afterEach(closeAll);

test("whoever writes where too much waits is told when it is sent again, and not that there is no connection", async () => {
  const { page, close } = await browse();
  await page.goto(pages.origin);
  await page.getByRole("button", { name: "Abrir o chat" }).click();
  const box = page.getByRole("textbox", { name: "Mensagem" });
  // The server looks at what waits every few seconds: until then it takes what comes.
  await eventually("the server has enough", async () => {
    await box.fill("oi");
    await box.press("Enter");
    return page.getByText("Enviamos de novo em 30 s").isVisible();
  });
  await picture(page, "widget-busy");
  if (await page.getByText("Sem conexão").isVisible()) throw new Error(`there is a connection: ${await shown(page)}`);
  await page.goto(`${pages.origin}/english`);
  await page.getByRole("button", { name: "Open chat" }).click();
  await page.getByText("Sending again in 30 s").waitFor();
  await close();
});
