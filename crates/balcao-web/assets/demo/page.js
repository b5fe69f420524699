// The demo's page: what staff see and do. The chat beside it is the widget, as any page holds it.

import { showTurns } from "/demo/trace.js";
import { aimAt, showDay } from "/demo/agenda.js";

const english = document.documentElement.lang === "en";
const locale = english ? "en-GB" : "pt-BR";
const PT = { waiting: "Uma pessoa foi chamada", agent: "O agente responde", person: (name) => `${name || "A equipe"} tem a conversa`, closed: "Fechado",
  noStaff: "Abra o endereço que o programa mostrou, com o código no fim, para ver os bastidores.", language: "English", failed: "Não deu certo. Tente de novo." };
const EN = { waiting: "A person was called", agent: "The agent answers", person: (name) => `${name || "The team"} has the conversation`, closed: "Closed",
  noStaff: "Open the address that the program printed, with its code at the end, to see behind the scenes.", language: "Português", failed: "That did not work. Try again.",
  skip: "Go to the conversation", model: "Model", theme: "Light or dark", views: "Views", chat: "Customer", inside: "Behind the scenes", agenda: "Agenda",
  chatTitle: "What the customer sees", insideTitle: "Behind the scenes", take: "Take over", giveBack: "Give back to the agent", replyLabel: "Answer as staff",
  replyPlaceholder: "Answer as staff", send: "Send", noTurns: "Each answer shows here from the inside: what the model asked for, what the tools did, and with what proof.",
  agendaTitle: "Agenda", dayBefore: "Day before", dayNext: "Next day", today: "Today", lost: "The program stopped. This page comes back by itself when it does." };
const words = english ? EN : PT;
const $ = (id) => document.getElementById(id);

if (english) {
  for (const one of document.querySelectorAll("[data-t]")) one.textContent = EN[one.dataset.t];
  for (const one of document.querySelectorAll("[data-t-label]")) one.setAttribute("aria-label", EN[one.dataset.tLabel]);
  for (const one of document.querySelectorAll("[data-t-placeholder]")) one.placeholder = EN[one.dataset.tPlaceholder];
}
$("language").textContent = words.language;
$("language").lang = english ? "pt-BR" : "en";
$("language").addEventListener("click", () => { location.search = english ? "?lang=pt-BR" : "?lang=en"; });

// ---- light and dark -----

const kept = { read: (key) => { try { return localStorage.getItem(key); } catch { return null; } },
  write: (key, value) => { try { localStorage.setItem(key, value); } catch { /* it lasts as long as the page */ } } };
const root = document.documentElement;
if (kept.read("balcao-theme")) root.dataset.theme = kept.read("balcao-theme");
$("theme").addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  kept.write("balcao-theme", root.dataset.theme);
});

// ---- views of a small screen -----

const tabs = [...document.querySelectorAll("[role=tab]")];
const main = document.querySelector("main");
const choose = (tab) => {
  for (const one of tabs) {
    one.setAttribute("aria-selected", String(one === tab));
    one.tabIndex = one === tab ? 0 : -1;
  }
  main.dataset.view = tab.getAttribute("aria-controls");
  const news = tab.querySelector(".news");
  if (news) news.hidden = true;
  if (main.dataset.view === "agenda") aimAt($("calendar"));
};
for (const tab of tabs) {
  tab.addEventListener("click", () => choose(tab));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
    choose(next);
    next.focus();
  });
}
const tell = (view) => {
  const news = $(`tab-${view}`).querySelector(".news");
  if (news && main.dataset.view !== view) news.hidden = false;
};

// ---- the staff's side -----

// The code stands behind the #, which browsers never send; it is kept for reloads of this tab.
const fromAddress = location.hash.slice(1);
const token = fromAddress || (() => { try { return sessionStorage.getItem("balcao-token"); } catch { return null; } })();
if (token) { try { sessionStorage.setItem("balcao-token", token); } catch { /* a reload needs the address again */ } }

let snapshot = null;
let day = null;
let stream = null;
let booked = null;

const ask = (path, options = {}) => fetch(path, { ...options, cache: "no-store",
  headers: { authorization: `Bearer ${token}`, ...(options.body ? { "content-type": "application/json" } : {}), ...options.headers } });

function listen() {
  stream?.close();
  const query = day ? `?day=${day}` : "";
  stream = window.BalcaoChat.keepStream((_last, signal) => ask(`/demo/v1/live${query}`, { signal }), {
    open: () => { $("lost").hidden = true; },
    lost: () => { $("lost").hidden = false; },
    refused: (response) => { if (response.status === 401) locked(); return false; },
    event: (event) => show(JSON.parse(event.data)),
  });
}

function locked() {
  stream?.close();
  $("lost").hidden = true;
  $("no-turns").hidden = false;
  $("no-turns").textContent = words.noStaff;
  $("calendar").replaceChildren();
}

function show(now) {
  const before = snapshot;
  snapshot = now;
  const ids = new Set(now.bookings.map((one) => `${one.id} ${one.date} ${one.start}`));
  const news = booked && now.bookings.find((one) => !booked.has(`${one.id} ${one.date} ${one.start}`));
  booked = ids;
  if (news && news.date !== now.day.date) { goTo(news.date); tell("agenda"); return; }
  if (news) tell("agenda");
  showStaff(now.conversation);
  showTurns($("turns"), $("no-turns"), now.turns, english);
  if (before && JSON.stringify(before.turns) !== JSON.stringify(now.turns)) tell("inside");
  if (!before || JSON.stringify(before.day) !== JSON.stringify(now.day) || before.contact !== now.contact) {
    const date = new Date(`${now.day.date}T12:00:00`);
    $("day").textContent = date.toLocaleDateString(locale, { weekday: "short", day: "numeric", month: "short" });
    $("today").disabled = now.day.date === now.day.today;
    showDay($("calendar"), now.day, now.contact, words.closed);
  }
}

function showStaff(conversation) {
  $("staff").hidden = !conversation;
  if (!conversation) return;
  const state = conversation.state;
  const isPerson = state === "human";
  const isWaiting = state === "waiting_human";
  $("staff-dot").className = `dot ${isPerson ? "person" : isWaiting ? "waiting" : ""}`;
  const text = isPerson ? words.person(conversation.assigned_to) : isWaiting ? words.waiting : words.agent;
  const shown = [text, isWaiting ? conversation.reason : null].filter(Boolean).join("\n");
  if ($("staff-state").dataset.shown !== shown) {
    const [title, more] = shown.split("\n");
    $("staff-state").replaceChildren(title);
    if (more) {
      const small = document.createElement("small");
      small.textContent = more;
      $("staff-state").append(small);
    }
    $("staff-state").dataset.shown = shown;
  }
  $("take").hidden = isPerson;
  $("give-back").hidden = !isPerson && !isWaiting;
  const wasHidden = $("reply").hidden;
  $("reply").hidden = !isPerson;
  if (wasHidden && isPerson && document.activeElement === document.body) $("words").focus();
}

async function act(path, body) {
  $("problem").hidden = true;
  try {
    const response = await ask(path, { method: "POST", body: JSON.stringify({ conversation: snapshot.conversation.id, ...body }) });
    if (response.ok) return true;
    const problem = await response.json().catch(() => ({}));
    $("problem").textContent = problem.detail || words.failed;
  } catch {
    $("problem").textContent = words.failed;
  }
  $("problem").hidden = false;
  return false;
}

$("take").addEventListener("click", async () => { if (await act("/demo/v1/take")) setTimeout(() => $("words").focus(), 400); });
$("give-back").addEventListener("click", () => act("/demo/v1/give-back"));
const answer = async () => {
  const text = $("words").value.trim();
  if (text && (await act("/demo/v1/reply", { text }))) $("words").value = "";
};
$("reply").addEventListener("submit", (event) => { event.preventDefault(); answer(); });
$("words").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); answer(); }
});

// ---- days -----

function goTo(date) {
  day = date;
  listen();
}
const step = (days) => {
  const at = new Date(`${(snapshot?.day ?? { date: new Date().toISOString().slice(0, 10) }).date}T12:00:00Z`);
  at.setUTCDate(at.getUTCDate() + days);
  goTo(at.toISOString().slice(0, 10));
};
$("before").addEventListener("click", () => step(-1));
$("next").addEventListener("click", () => step(1));
$("today").addEventListener("click", () => goTo(null));

if (token) listen();
else locked();
