// The demo's page as an owner tries it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, afterEach, before, test } from "node:test";
import { browse, closeAll, demo, eventually, picture, shown } from "./world.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let program;
before(async () => { program = await demo(); });
after(async () => { await program.stop(); });

afterEach(closeAll);

/** A new customer on the page. */
async function open(options = {}, address = program.address) {
  const window = await browse(options);
  await window.page.goto(address);
  await window.page.getByRole("textbox", { name: "Mensagem" }).waitFor();
  const { page } = window;
  return {
    ...window,
    write: async (text) => {
      await page.getByRole("textbox", { name: "Mensagem" }).fill(text);
      await page.keyboard.press("Enter");
    },
    answered: (count) => eventually(`answer ${count}`, async () => (await shown(page)).filter((one) => !one.startsWith("visitor")).length >= count),
  };
}

test("a customer books, and the trace and the agenda show it", async () => {
  const { page, write, answered, complaints, close } = await open();
  await page.getByText("Barbearia Figueira").first().waitFor();
  await picture(page, "demo-begin");
  await write("oi, quero corte na máquina com o Wesley quinta às 15h");
  await answered(1);
  await write("sim, pode marcar");
  await answered(2);
  const booked = page.locator(".visit.own");
  await booked.waitFor();
  assert.match(await booked.textContent(), /15:00 Corte na máquina/);
  assert.match(await page.locator("#day").textContent(), /26/, "the agenda goes to the day of the visit");
  const trace = page.locator(".turn", { hasText: "create_appointment" }).first();
  await trace.waitFor();
  assert.match(await trace.textContent(), /start_hour/);
  assert.match(await trace.textContent(), /Comprovante/);
  assert.equal(await page.locator(".message.visitor .state[aria-label=enviada]").count(), 2);
  await picture(page, "demo-booked");
  await page.locator("#theme").click();
  await picture(page, "demo-booked-other-theme");
  assert.deepEqual(complaints, []);
  await close();
});

test("staff take the conversation over, answer in it, and give it back", async () => {
  const { page, write, answered, complaints, close } = await open();
  await write("quais os serviços?");
  await answered(1);
  await page.locator(".turn .asked", { hasText: "quais os serviços?" }).waitFor();
  await page.getByRole("button", { name: "Assumir a conversa" }).click();
  await page.getByText("Davi entrou na conversa").waitFor();
  const words = page.getByRole("textbox", { name: "Responder como equipe" });
  await words.fill("Oi! Aqui é o Davi. Posso ajudar?");
  await words.press("Enter");
  await page.locator(".message.staff", { hasText: "Aqui é o Davi" }).waitFor();
  await write("pode sim");
  await eventually("the agent sees that a person has it", async () => (await page.locator(".turn").count()) === 2);
  await page.locator(".turn", { hasText: "Ficou em silêncio" }).waitFor();
  await picture(page, "demo-taken-over");
  assert.equal((await shown(page)).filter((one) => one.startsWith("agent")).length, 1, "the agent is silent");
  await page.getByRole("button", { name: "Devolver ao agente" }).click();
  await page.getByText("O atendimento automático voltou").waitFor();
  await write("quanto custa a barba?");
  await eventually("the agent answers again", async () => (await shown(page)).filter((one) => one.startsWith("agent")).length === 2);
  assert.deepEqual(complaints, []);
  await close();
});

test("a customer who asks for a person is handed over, and the staff see why", async () => {
  const { page, write, complaints, close } = await open();
  await write("quero falar com uma pessoa");
  await page.getByText("Chamamos alguém da equipe").waitFor();
  await page.locator("#staff-state", { hasText: "Uma pessoa foi chamada" }).waitFor();
  assert.ok((await page.locator("#staff-state small").textContent()).length > 3);
  await picture(page, "demo-handed-over");
  assert.deepEqual(complaints, []);
  await close();
});

test("what a customer writes is words, never markup", async () => {
  const { page, write, answered, complaints, close } = await open();
  const evil = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>";
  await write(evil);
  await answered(1);
  assert.equal((await shown(page))[0], `visitor: ${evil}`);
  await page.locator(".turn .asked", { hasText: "<img" }).waitFor();
  assert.doesNotMatch(await page.title(), /owned/);
  assert.deepEqual(complaints, []);
  await close();
});

test("a reload shows the same conversation once", async () => {
  const { page, write, answered, close } = await open();
  await write("oi");
  await answered(1);
  const before = await shown(page);
  await page.reload();
  await eventually("the conversation", async () => (await shown(page)).length >= before.length);
  assert.deepEqual(await shown(page), before);
  await close();
});

test("a small screen has one view at a time and nothing runs over its edge", async () => {
  const { page, write, answered, complaints, close } = await open({ viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true });
  const fits = async (name) => {
    assert.equal(await page.evaluate(() => document.scrollingElement.scrollWidth), 360, name);
    await picture(page, `small-${name}`);
  };
  await write("oi, quero corte na máquina com o Wesley sexta às 16h");
  await answered(1);
  await write("sim, pode marcar");
  await answered(2);
  const input = await page.getByRole("textbox", { name: "Mensagem" }).boundingBox();
  assert.ok(input.y + input.height <= 640, "the field to write in is on the screen");
  await fits("chat");
  await page.getByRole("tab", { name: "Bastidores" }).click();
  await page.locator(".turn").first().waitFor();
  await fits("inside");
  await page.getByRole("tab", { name: "Agenda" }).click();
  await page.locator(".visit.own").first().waitFor();
  await fits("agenda");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.getByRole("tab", { name: "Cliente" }).getAttribute("aria-selected"), "true");
  assert.deepEqual(complaints, []);
  await close();
});

test("without the code in the address the customer's side works and the staff's says what is missing", async () => {
  const { page, write, answered, close } = await open({}, program.address.split("#")[0]);
  await write("oi");
  await answered(1);
  await page.getByText("Abra o endereço que o programa mostrou").waitFor();
  assert.equal(await page.locator("#staff").isVisible(), false);
  await close();
});

test("in English, light and dark, assistive technology finds nothing to complain about", async () => {
  const [place, code] = program.address.split("#");
  for (const colorScheme of ["light", "dark"]) {
    const { page, close } = await browse({ colorScheme, bypassCSP: true, locale: "en-GB", reducedMotion: "reduce" });
    await page.goto(`${place}?lang=en#${code}`);
    const input = page.getByRole("textbox", { name: "Message" });
    await input.fill("hi, I would like a fade with Wesley on Thursday at 17:00");
    await input.press("Enter");
    await eventually("an answer", async () => (await shown(page)).some((one) => one.startsWith("agent")));
    await page.locator(".turn .asked", { hasText: "a fade with Wesley" }).waitFor();
    await page.getByRole("button", { name: "Take over" }).click();
    await page.getByRole("textbox", { name: "Answer as staff" }).waitFor();
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"] }));
    assert.deepEqual(violations.map((one) => [one.id, one.nodes.map((node) => node.html)]), [], colorScheme);
    await picture(page, `demo-english-${colorScheme}`);
    await close();
  }
});
