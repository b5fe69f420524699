// Balcão's web chat: one script tag, no build step, no dependency.
//
//   <script src="https://chat.example/chat/widget.js" defer></script>
//
// Attributes of the tag: data-lang (pt-BR, en), data-theme (auto, light, dark), data-accent (a colour), data-title,
// data-greeting, data-suggestions (separated by |), data-mode (bubble, inline) with data-target (a selector), data-server.
//
// What others wrote reaches the page as text nodes only. The visitor's token and unsent messages lie in localStorage, so that a
// reload loses nothing; every message has an id, so that sending it again changes nothing.
(() => {
  "use strict";

  const tag = document.currentScript;
  const settings = tag ? tag.dataset : {};
  const server = (settings.server || new URL(tag ? tag.src : location.href, location.href).origin).replace(/\/$/, "");
  const storeKey = `balcao-chat ${server}`;

  const WORDS = {
    pt: {
      open: "Abrir o chat", close: "Fechar o chat", title: "Conversa", write: "Mensagem", placeholder: "Escreva uma mensagem",
      send: "Enviar", sending: "enviando", sent: "enviada", failed: "não foi enviada", retry: "Tentar de novo",
      typing: "Escrevendo uma resposta", agent: "Responde na hora", waiting: "Aguardando a equipe",
      person: (name) => (name ? `Com ${name}, da equipe` : "Com a equipe"),
      joined: (name) => (name ? `${name} entrou na conversa` : "A equipe entrou na conversa"),
      called: "Chamamos alguém da equipe", back: "O atendimento automático voltou",
      offline: "Sem conexão. Tentando de novo…",
      busy: (seconds) => `Muita gente escreve agora. Enviamos de novo em ${seconds} s.`, you: "Você", bot: "Atendimento", staff: "Equipe", today: "Hoje",
      yesterday: "Ontem", unread: (n) => (n === 1 ? "1 mensagem nova" : `${n} mensagens novas`), newest: "Mensagens novas",
      refused: "Este site não pode usar o chat.", long: "A mensagem é longa demais.", log: "Mensagens",
      greeting: "Olá! Como podemos ajudar?", suggestions: "Sugestões",
      file: (name, size) => `Baixar ${name}${size}`, noFile: "O arquivo não está mais disponível.",
      attach: "Anexar um arquivo", large: (most) => `O arquivo é grande demais: até ${most}.`,
      wrongType: "Este tipo de arquivo não é aceito.", emptyFile: "O arquivo está vazio.",
    },
    en: {
      open: "Open chat", close: "Close chat", title: "Chat", write: "Message", placeholder: "Write a message",
      send: "Send", sending: "sending", sent: "sent", failed: "not sent", retry: "Try again",
      typing: "Writing an answer", agent: "Answers right away", waiting: "Waiting for the team",
      person: (name) => (name ? `With ${name} from the team` : "With the team"),
      joined: (name) => (name ? `${name} joined the conversation` : "The team joined the conversation"),
      called: "We called somebody from the team", back: "The assistant is back",
      offline: "No connection. Trying again…",
      busy: (seconds) => `Many people are writing now. Sending again in ${seconds} s.`, you: "You", bot: "Assistant", staff: "Team", today: "Today",
      yesterday: "Yesterday", unread: (n) => (n === 1 ? "1 new message" : `${n} new messages`), newest: "New messages",
      refused: "This site may not use the chat.", long: "The message is too long.", log: "Messages",
      greeting: "Hello! How can we help?", suggestions: "Suggestions",
      file: (name, size) => `Download ${name}${size}`, noFile: "The file is no longer available.",
      attach: "Attach a file", large: (most) => `The file is too large: ${most} at most.`,
      wrongType: "Files of this type are not taken.", emptyFile: "The file is empty.",
    },
  };
  const lang = (settings.lang || document.documentElement.lang || navigator.language || "pt-BR").toLowerCase();
  const words = lang.startsWith("en") ? WORDS.en : WORDS.pt;
  const locale = lang.startsWith("en") ? "en-GB" : "pt-BR";

  const STYLE = `
    :host { all: initial; --accent: #0f6b57; --on-accent: #fff; --paper: #fff; --back: #f4f2ec; --ink: #1c211f; --soft: #5d6763;
      --line: #e2dfd6; --mine: #dff1e8; --alarm: #b3261e; color-scheme: light;
      font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
    :host([data-dark]) { --accent: #3fb894; --on-accent: #06231b; --paper: #1b2120; --back: #131817; --ink: #e9eeeb; --soft: #9caaa5;
      --line: #2d3634; --mine: #1d4638; --alarm: #ffb4ab; color-scheme: dark; }
    *, *::before, *::after { box-sizing: border-box; }
    button, textarea { font: inherit; color: inherit; }
    button { cursor: pointer; }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
    .launcher { position: fixed; right: 20px; bottom: 20px; width: 60px; height: 60px; border: 0; border-radius: 50%;
      background: var(--accent); color: var(--on-accent); box-shadow: 0 6px 24px rgb(0 0 0 / .25); z-index: 2147483000; }
    .launcher svg { width: 28px; height: 28px; display: block; margin: auto; }
    .badge { position: absolute; top: -4px; right: -4px; min-width: 22px; padding: 0 6px; border-radius: 11px; background: var(--alarm);
      color: #fff; font-size: 13px; line-height: 22px; text-align: center; }
    :host([data-dark]) .badge { color: #3a0906; }
    .panel { display: flex; flex-direction: column; background: var(--back); color: var(--ink); overflow: hidden; }
    .bubble .panel { position: fixed; right: 20px; bottom: 92px; width: min(380px, calc(100vw - 40px));
      height: min(640px, calc(100dvh - 120px)); border-radius: 18px; border: 1px solid var(--line);
      box-shadow: 0 18px 60px rgb(0 0 0 / .28); z-index: 2147483000; }
    .inline .panel { position: absolute; inset: 0; }
    [hidden] { display: none !important; }
    header { display: flex; align-items: center; gap: 12px; padding: 14px 16px; background: var(--paper);
      border-bottom: 1px solid var(--line); }
    .face { flex: none; width: 40px; height: 40px; border-radius: 50%; background: var(--accent); color: var(--on-accent);
      display: grid; place-items: center; font-weight: 650; font-size: 17px; }
    .who { min-width: 0; flex: 1; }
    h2 { margin: 0; font-size: 16px; font-weight: 650; line-height: 1.25; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
    .status { margin: 1px 0 0; font-size: 13px; color: var(--soft); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
    .close { flex: none; width: 40px; height: 40px; border: 0; border-radius: 10px; background: none; color: var(--soft); font-size: 22px; line-height: 1; }
    .close:hover { background: var(--back); }
    .offline { margin: 0; padding: 7px 16px; background: #6b4b00; color: #fff; font-size: 13px; text-align: center; }
    .log { flex: 1; min-height: 0; overflow-y: auto; overscroll-behavior: contain; padding: 16px 14px 8px; display: flex;
      flex-direction: column; gap: 3px; scrollbar-width: thin; }
    .log > :first-child { margin-top: auto; }
    .hello { align-self: flex-start; max-width: 84%; margin: 2px 0; }
    .note { align-self: center; margin: 10px 0; padding: 3px 12px; border-radius: 12px; background: var(--line); color: var(--ink);
      font-size: 12.5px; text-align: center; }
    .message { max-width: 84%; margin: 2px 0; align-self: flex-start; }
    .message.visitor { align-self: flex-end; }
    .said { padding: 8px 12px; border-radius: 14px; border-bottom-left-radius: 4px; background: var(--paper); white-space: pre-wrap;
      overflow-wrap: anywhere; box-shadow: 0 1px 1px rgb(0 0 0 / .07); }
    .visitor .said { background: var(--mine); border-radius: 14px; border-bottom-right-radius: 4px; }
    .staff .said { box-shadow: inset 3px 0 0 var(--accent), 0 1px 1px rgb(0 0 0 / .07); }
    .said a { color: inherit; text-decoration: underline; }
    .file { display: flex; gap: 8px; align-items: center; width: 100%; margin: 4px 0 0; padding: 8px 10px; border: 1px solid var(--line);
      border-radius: 10px; background: var(--back); text-align: left; overflow-wrap: anywhere; }
    .file svg { flex: none; width: 20px; height: 20px; }
    .file:disabled { cursor: default; opacity: .6; }
    .meta { display: flex; gap: 6px; align-items: center; padding: 2px 6px 4px; font-size: 11.5px; color: var(--soft); }
    .visitor .meta { justify-content: flex-end; }
    .failed .said { box-shadow: inset 0 0 0 1.5px var(--alarm); }
    .failed .state { color: var(--alarm); }
    .retry { padding: 3px 10px; border: 1px solid var(--alarm); border-radius: 10px; background: none; color: var(--alarm); font-size: 12.5px; }
    .typing { align-self: flex-start; display: flex; gap: 5px; padding: 12px 14px; border-radius: 14px; border-bottom-left-radius: 4px;
      background: var(--paper); }
    .typing i { width: 7px; height: 7px; border-radius: 50%; background: var(--soft); animation: rise 1.2s infinite ease-in-out; }
    .typing i:nth-child(2) { animation-delay: .15s; } .typing i:nth-child(3) { animation-delay: .3s; }
    @keyframes rise { 0%, 60%, 100% { transform: none; opacity: .5; } 30% { transform: translateY(-4px); opacity: 1; } }
    .suggestions { display: flex; flex-wrap: wrap; gap: 8px; padding: 4px 14px 10px; }
    .suggestions button { padding: 8px 13px; border: 1px solid var(--accent); border-radius: 17px; background: var(--paper);
      color: var(--ink); font-size: 13.5px; text-align: left; }
    .suggestions button:hover { background: var(--mine); }
    form { display: flex; align-items: flex-end; gap: 8px; margin: 0; padding: 10px 12px; background: var(--paper); border-top: 1px solid var(--line);
      padding-bottom: max(10px, env(safe-area-inset-bottom)); }
    textarea { flex: 1; min-width: 0; min-height: 44px; max-height: 140px; padding: 10px 14px; border: 1px solid var(--line); border-radius: 22px;
      background: var(--back); color: var(--ink); font-size: 16px; line-height: 1.4; resize: none; }
    textarea:focus-visible { outline-width: 2px; outline-offset: 0; }
    textarea::placeholder { color: var(--soft); opacity: 1; }
    .attach { flex: none; width: 44px; height: 44px; border: 0; border-radius: 50%; background: none; color: var(--soft); }
    .attach:hover { background: var(--back); }
    .attach svg { width: 22px; height: 22px; display: block; margin: auto; }
    .send { flex: none; width: 44px; height: 44px; border: 0; border-radius: 50%; background: var(--accent); color: var(--on-accent); }
    .send svg { width: 20px; height: 20px; display: block; margin: auto; }
    .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
    @media (max-width: 480px) {
      .bubble .panel { inset: 0; width: 100vw; height: 100dvh; border: 0; border-radius: 0; }
    }
    @media (prefers-reduced-motion: no-preference) {
      .message, .note { animation: come .18s ease-out; }
      @keyframes come { from { opacity: 0; transform: translateY(6px); } }
    }
    @media (prefers-reduced-motion: reduce) { .typing i { animation: none; } }
    @media (forced-colors: active) { .said, .typing, .send, .launcher { border: 1px solid CanvasText; } }
  `;

  // ---- small helpers ------------------------------------------------------------------------------------------------------

  const el = (name, properties = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
      if (key === "class") made.className = value;
      else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else if (value === true) made.setAttribute(key, "");
      else if (value !== false && value != null) made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
  };

  const icon = (path) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("fill", "currentColor");
    svg.setAttribute("aria-hidden", "true");
    const shape = document.createElementNS("http://www.w3.org/2000/svg", "path");
    shape.setAttribute("d", path);
    svg.append(shape);
    return svg;
  };
  const CHAT_ICON = "M4 4h16a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H9l-5 4v-4a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2z";
  const FILE_ICON = "M5 20h14v-2H5v2zM19 9h-4V3H9v6H5l7 7 7-7z";
  const CLIP_ICON = "M16.5 6v11.5a4 4 0 0 1-8 0V5a2.5 2.5 0 0 1 5 0v10.5a1 1 0 0 1-2 0V6H10v9.5a2.5 2.5 0 0 0 5 0V5a4 4 0 0 0-8 0v12.5a5.5 5.5 0 0 0 11 0V6h-1.5z";
  // What the server takes, by what its bytes are; names help the visitor's own window to choose.
  const ACCEPTED = "image/jpeg,image/png,video/mp4,video/3gpp,audio/*,.pdf,.txt,.doc,.docx,.xls,.xlsx,.ppt,.pptx";
  const SEND_ICON = "M3 20.5v-7l9-1.5-9-1.5v-7L22 12z";

  const sleep = (ms, signal) =>
    new Promise((done) => {
      const timer = setTimeout(done, ms);
      signal?.addEventListener("abort", () => { clearTimeout(timer); done(); }, { once: true });
    });

  const randomId = () => {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  };

  const inUnits = (bytes) => {
    const [number, unit] = bytes >= 1e6 ? [bytes / 1e6, "MB"] : [Math.max(1, bytes / 1e3), "kB"];
    return `${number.toLocaleString(locale, { maximumFractionDigits: unit === "MB" ? 1 : 0 })} ${unit}`;
  };

  // Pages may forbid storage: then a reload begins anew.
  const remember = {
    read() {
      try { return JSON.parse(localStorage.getItem(storeKey)) || {}; } catch { return {}; }
    },
    write(change) {
      try { localStorage.setItem(storeKey, JSON.stringify({ ...remember.read(), ...change })); } catch { /* it lasts as long as the page */ }
    },
  };

  // Words as nodes: *bold* as on WhatsApp, addresses as links, everything else as it is.
  const asNodes = (text) => {
    const nodes = [];
    let last = 0;
    for (const found of text.matchAll(/https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]]|(?<![\w*])\*(?=\S)[^*\n]*[^\s*]\*(?![\w*])/g)) {
      nodes.push(text.slice(last, found.index));
      const part = found[0];
      nodes.push(part.startsWith("*")
        ? el("strong", {}, part.slice(1, -1))
        : el("a", { href: part, target: "_blank", rel: "noopener noreferrer nofollow" }, part));
      last = found.index + part.length;
    }
    nodes.push(text.slice(last));
    return nodes;
  };

  // Reads server-sent events from an answer, and tells when bytes came, heartbeats included.
  async function readEvents(response, onEvent, onBytes) {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      onBytes();
      rest += value.replace(/\r\n?/g, "\n");
      for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
        const event = { type: "message", id: null, data: "" };
        for (const line of rest.slice(0, end).split("\n")) {
          const colon = line.indexOf(":");
          if (colon <= 0) continue;
          const field = line.slice(0, colon);
          const content = line.slice(colon + 1).replace(/^ /, "");
          if (field === "event") event.type = content;
          else if (field === "id") event.id = content;
          else if (field === "data") event.data += (event.data ? "\n" : "") + content;
        }
        rest = rest.slice(end + 2);
        if (event.data) onEvent(event);
      }
    }
  }

  // Keeps a stream open: comes back after ever longer pauses, at once when the network does, and with the last event's id.
  // `request` gives the fetch; `on` has event, open, lost and refused, which tells whether to go on.
  function keepStream(request, on) {
    const STALLED = 40_000;
    const closed = new AbortController();
    let hurry = new AbortController();
    let lastId = null;
    const wake = () => hurry.abort();
    addEventListener("online", wake);
    document.addEventListener("visibilitychange", () => { if (!document.hidden) wake(); });
    (async () => {
      let pause = 500;
      while (!closed.signal.aborted) {
        const attempt = new AbortController();
        closed.signal.addEventListener("abort", () => attempt.abort(), { once: true });
        let timer = setTimeout(() => attempt.abort(), STALLED);
        const alive = () => { clearTimeout(timer); timer = setTimeout(() => attempt.abort(), STALLED); };
        try {
          const response = await request(lastId, attempt.signal);
          if (response.ok) {
            on.open?.();
            pause = 500;
            await readEvents(response, (event) => { if (event.id !== null) lastId = event.id; on.event(event); }, alive);
          } else if (!(await on.refused?.(response))) {
            pause = Math.max(pause, Number(response.headers.get("retry-after") || 0) * 1000);
          }
        } catch { /* the network: it is tried again below */ }
        clearTimeout(timer);
        if (closed.signal.aborted) return;
        on.lost?.();
        hurry = new AbortController();
        await sleep(pause * (0.7 + Math.random() * 0.6), hurry.signal);
        pause = Math.min(pause * 2, 20_000);
      }
    })();
    return { close: () => closed.abort(), forget: () => { lastId = null; } };
  }

  // ---- the widget ---------------------------------------------------------------------------------------------------------

  class Chat {
    constructor(place, inline) {
      this.inline = inline;
      this.saved = remember.read();
      this.shown = new Map(); // by the visitor's own id, and by number
      this.lastDay = null;
      this.state = null;
      this.unread = 0;
      this.queue = [];
      this.isSending = false;
      this.begun = false;
      this.build(place);
      if (inline || this.saved.unsent?.length) this.begin();
      for (const { id, text } of this.saved.unsent || []) this.enqueue(id, text);
    }

    build(place) {
      this.host = el("div", { "data-balcao-chat": true });
      const root = this.host.attachShadow({ mode: "open" });
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(STYLE);
      root.adoptedStyleSheets = [sheet];
      if (/^[#a-z0-9(),.% ]+$/i.test(settings.accent || "")) this.host.style.setProperty("--accent", settings.accent);
      const dark = matchMedia("(prefers-color-scheme: dark)");
      const paint = () => {
        const theme = document.documentElement.dataset.theme || settings.theme || "auto";
        this.host.toggleAttribute("data-dark", theme === "dark" || (theme !== "light" && dark.matches));
      };
      dark.addEventListener("change", paint);
      new MutationObserver(paint).observe(document.documentElement, { attributeFilter: ["data-theme"] });
      paint();

      const title = settings.title || words.title;
      this.title = el("h2", { id: "title" }, title);
      this.face = el("div", { class: "face", "aria-hidden": "true" }, title.slice(0, 1).toUpperCase());
      this.status = el("p", { class: "status" }, words.agent);
      this.offline = el("p", { class: "offline", role: "status", hidden: true }, words.offline);
      this.busy = el("p", { class: "offline", role: "status", hidden: true });
      this.log = el("div", { class: "log", role: "log", "aria-live": "polite", "aria-label": words.log, tabindex: "0" });
      this.typing = el("div", { class: "typing", role: "status", "aria-label": words.typing, hidden: true }, el("i"), el("i"), el("i"));
      this.log.append(this.typing);
      this.input = el("textarea", { rows: "1", "aria-label": words.write, placeholder: words.placeholder, maxlength: "4000",
        enterkeyhint: "send", autocomplete: "off" });
      this.input.addEventListener("input", () => this.fit());
      this.input.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); this.submit(); }
      });
      this.chosen = el("input", { type: "file", multiple: true, hidden: true, accept: ACCEPTED, "aria-hidden": "true", tabindex: "-1" });
      this.chosen.addEventListener("change", () => {
        for (const file of this.chosen.files) this.sendFile(file);
        this.chosen.value = "";
      });
      this.suggestions = el("div", { class: "suggestions", role: "group", "aria-label": words.suggestions });
      for (const text of (settings.suggestions || "").split("|").map((one) => one.trim()).filter(Boolean)) {
        this.suggestions.append(el("button", { type: "button", onclick: () => this.write(text) }, text));
      }
      this.suggestions.hidden = !this.suggestions.childElementCount;
      const close = el("button", { class: "close", type: "button", "aria-label": words.close, onclick: () => this.hide() }, "×");
      close.hidden = this.inline;
      this.panel = el("section", { class: "panel", role: this.inline ? "region" : "dialog", "aria-labelledby": "title" },
        el("header", {}, this.face, el("div", { class: "who" }, this.title, this.status), close),
        this.offline, this.busy, this.log, this.suggestions,
        el("form", { onsubmit: (event) => { event.preventDefault(); this.submit(); } },
          el("button", { class: "attach", type: "button", "aria-label": words.attach, title: words.attach, onclick: () => this.chosen.click() }, icon(CLIP_ICON)),
          this.chosen, this.input,
          el("button", { class: "send", type: "submit", "aria-label": words.send }, icon(SEND_ICON))));
      this.panel.addEventListener("keydown", (event) => { if (event.key === "Escape" && !this.inline) this.hide(); });
      const frame = el("div", { class: this.inline ? "inline" : "bubble" }, this.panel);
      if (!this.inline) {
        this.panel.hidden = true;
        this.badge = el("span", { class: "badge", hidden: true });
        this.launcher = el("button", { class: "launcher", type: "button", "aria-label": words.open, "aria-expanded": "false",
          onclick: () => (this.panel.hidden ? this.show() : this.hide()) }, icon(CHAT_ICON), this.badge);
        frame.prepend(this.launcher);
      }
      root.append(frame);
      place.append(this.host);
      this.log.insertBefore(el("div", { class: "hello" }, el("div", { class: "said" }, settings.greeting || words.greeting)), this.typing);
    }

    show() {
      this.panel.hidden = false;
      this.launcher.setAttribute("aria-expanded", "true");
      this.launcher.setAttribute("aria-label", words.close);
      this.unread = 0;
      this.badge.hidden = true;
      this.begin();
      this.toEnd();
      this.input.focus();
    }

    hide() {
      this.panel.hidden = true;
      this.launcher.setAttribute("aria-expanded", "false");
      this.launcher.setAttribute("aria-label", words.open);
      this.launcher.focus();
    }

    fit() {
      this.input.style.height = "auto";
      this.input.style.height = `${Math.min(this.input.scrollHeight + 2, 140)}px`;
    }

    submit() {
      const text = this.input.value.trim();
      if (!text) return;
      this.input.value = "";
      this.fit();
      this.write(text);
    }

    write(text) {
      this.suggestions.hidden = true;
      const id = randomId();
      remember.write({ unsent: [...(remember.read().unsent || []), { id, text }] });
      this.enqueue(id, text);
      this.begin();
      this.toEnd();
    }

    enqueue(id, text, file) {
      const local = file && { name: file.name, size: file.size };
      this.put({ id, author: "visitor", text, at: this.now().toISOString(), file: local }, "sending");
      this.queue.push({ id, text, file });
      this.flush();
    }

    // A file lives as long as the page: unlike words, it is not kept for after a reload.
    sendFile(file) {
      this.enqueue(randomId(), "", file);
      this.begin();
      this.toEnd();
    }

    // ---- sending: one after the other, in order -----

    async flush() {
      if (this.isSending) return;
      this.isSending = true;
      for (let tries = 0; this.queue.length; ) {
        const { id, text, file } = this.queue[0];
        const outcome = await this.post(id, text, file);
        if (outcome === "again" && tries < 4) {
          tries += 1;
          if (this.pause) this.wait(this.pause);
          await sleep(this.pause || 400 * 2 ** tries);
          continue;
        }
        this.wait(0);
        tries = 0;
        this.queue.shift();
        if (outcome === "sent") this.mark(id, "sent");
        else this.fail(id, text, file, outcome === "again" ? null : outcome);
      }
      this.isSending = false;
    }

    // Says that the server asked to come again, and in how many milliseconds; 0: that is over.
    wait(pause) {
      this.busy.hidden = !pause;
      if (!pause) return;
      this.busy.textContent = words.busy(Math.ceil(pause / 1000));
      this.offline.hidden = true;
    }

    // How long an answer asks to stay away, in milliseconds.
    asked(response) {
      return Math.min(Number(response.headers.get("retry-after") || 0), 30) * 1000;
    }

    // `sent`, `again`, or in words why it never will be.
    async post(id, text, file) {
      this.pause = 0;
      try {
        if (!(await this.session())) return "again";
        if (file && !file.size) return words.emptyFile;
        if (file && file.size > this.largest) return words.large(inUnits(this.largest));
        const response = file
          ? await this.ask(`/chat/v1/files?${new URLSearchParams({ id, name: file.name })}`,
            { method: "POST", body: file, headers: { "content-type": "application/octet-stream" }, signal: AbortSignal.timeout(120_000) })
          : await this.ask("/chat/v1/messages", { method: "POST", body: JSON.stringify({ id, text }) });
        if (response.ok) return "sent";
        if (response.status === 401) { this.forget(); return "again"; }
        if (response.status === 403) return words.refused;
        if (file && response.status === 413) return words.large(inUnits(this.largest));
        if (file && response.status === 415) return words.wrongType;
        if (file && response.status === 422) return words.refused;
        if (response.status === 413 || response.status === 422) return words.long;
        this.pause = this.asked(response);
      } catch { /* the network */ }
      return "again";
    }

    mark(id, state) {
      const shown = this.shown.get(id);
      if (!shown) return;
      shown.root.classList.toggle("failed", state === "failed");
      shown.state.textContent = { sending: "◷", sent: "✓", failed: words.failed }[state];
      shown.state.setAttribute("aria-label", words[state]);
      shown.retry?.remove();
      shown.sending = state;
      if (state === "sent") {
        remember.write({ unsent: (remember.read().unsent || []).filter((one) => one.id !== id) });
      }
    }

    fail(id, text, file, why) {
      const shown = this.shown.get(id);
      if (!shown || shown.sending === "sent") return;
      this.mark(id, "failed");
      if (why) shown.state.textContent = why;
      // The same file is never taken; words may be, once they are fewer.
      if (file && why) return;
      shown.again = () => { this.mark(id, "sending"); this.queue.push({ id, text, file }); this.flush(); };
      shown.mayRetry = !why;
      shown.retry = el("button", { class: "retry", type: "button", onclick: () => shown.again() }, words.retry);
      shown.meta.append(shown.retry);
    }

    // ---- the server -----

    ask(path, options = {}) {
      const headers = { ...options.headers };
      if (options.body) headers["content-type"] ||= "application/json";
      if (this.saved.token) headers.authorization = `Bearer ${this.saved.token}`;
      return fetch(server + path, { ...options, headers, credentials: "omit", cache: "no-store",
        signal: options.signal || AbortSignal.timeout(20_000) });
    }

    // A token, once per page; the visitor stays who they are.
    session() {
      this.opening ||= (async () => {
        try {
          const response = await this.ask("/chat/v1/session", { method: "POST" });
          if (!response.ok) {
            if (response.status === 403) this.refuse();
            this.pause = this.asked(response);
            this.opening = null;
            return false;
          }
          const { token, shop, now, largest_file: largest } = await response.json();
          this.largest = largest || 0;
          this.ahead = new Date(now).getTime() - Date.now();
          this.saved.token = token;
          remember.write({ token });
          if (!settings.title && shop) {
            this.title.textContent = shop;
            this.face.textContent = shop.slice(0, 1).toUpperCase();
          }
          return true;
        } catch {
          this.opening = null;
          return false;
        }
      })();
      return this.opening;
    }

    forget() {
      this.opening = null;
      this.saved.token = null;
      this.stream?.forget();
      // Numbers are the visitor's that was: another counts from 1.
      for (const key of this.shown.keys()) if (typeof key === "number") this.shown.delete(key);
      remember.write({ token: null });
    }

    refuse() {
      this.offline.textContent = words.refused;
      this.offline.hidden = false;
      this.stream?.close();
    }

    begin() {
      if (this.begun) return;
      this.begun = true;
      this.stream = keepStream(
        async (lastId, signal) => {
          if (!(await this.session())) throw new Error("no session");
          return this.ask("/chat/v1/events", { signal, headers: lastId ? { "last-event-id": lastId } : {} });
        },
        {
          open: () => {
            clearTimeout(this.worry);
            this.worry = null;
            this.offline.hidden = true;
            if (!this.isSending) this.wait(0);
            // A stream tells of a reply that is being written, and not of one that came to nothing while the page was away.
            this.draft("");
            // What the network kept from being sent goes now: its id makes a repeat harmless.
            for (const shown of new Set(this.shown.values())) if (shown.sending === "failed" && shown.mayRetry) shown.again();
          },
          lost: () => { this.worry ||= setTimeout(() => { this.offline.hidden = !this.busy.hidden; }, 1500); },
          refused: (response) => {
            if (response.status === 401) this.forget();
            else this.wait(this.asked(response));
            return false;
          },
          event: (event) => {
            try {
              const data = JSON.parse(event.data);
              if (event.type === "message") this.put(data, "sent");
              else if (event.type === "state") this.turnTo(data);
              else if (event.type === "draft") this.draft(data.text);
            } catch { /* an event that this version does not know */ }
          },
        });
    }

    // The shop's clock, as far as it is known: this device's may be wrong.
    now() {
      return new Date(Date.now() + (this.ahead || 0));
    }

    // ---- showing -----

    put(message, state) {
      const known = this.shown.get(message.id) || this.shown.get(message.seq);
      if (known) {
        if (message.seq) this.shown.set(message.seq, known);
        // What was sent from here has an address now.
        if (message.file?.id && known.file) {
          const link = this.fileLink(message.file);
          known.file.replaceWith(link);
          known.file = link;
        }
        if (message.id) this.mark(message.id, state);
        return;
      }
      this.suggestions.hidden = true;
      const atEnd = this.isAtEnd();
      if (message.author === "agent") this.draft("");
      this.day(message.at);
      const who = { visitor: words.you, agent: words.bot, staff: words.staff }[message.author] || words.bot;
      const time = new Date(message.at).toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit" });
      const meta = el("div", { class: "meta" }, ...(message.author === "staff" ? [el("span", {}, `${words.staff} ·`)] : []),
        el("time", { datetime: message.at }, time));
      const file = message.file && (message.file.id ? this.fileLink(message.file) : el("span", { class: "file" }, icon(CLIP_ICON), message.file.name));
      const root = el("div", { class: `message ${message.author}` },
        el("span", { class: "unseen" }, `${who}: `),
        el("div", { class: "said" }, ...asNodes(message.text), ...(file ? [file] : [])), meta);
      const shown = { root, meta, file };
      if (message.author === "visitor") {
        shown.state = el("span", { class: "state", role: "img" });
        meta.append(shown.state);
      }
      this.log.insertBefore(root, this.typing);
      if (message.id) this.shown.set(message.id, shown);
      if (message.seq) this.shown.set(message.seq, shown);
      if (message.id) this.mark(message.id, state);
      if (atEnd || message.author === "visitor") this.toEnd();
      if (!this.inline && this.panel.hidden && message.author !== "visitor") {
        this.unread += 1;
        this.badge.textContent = String(Math.min(this.unread, 99));
        this.badge.hidden = false;
        this.launcher.setAttribute("aria-label", `${words.open}: ${words.unread(this.unread)}`);
      }
    }

    // What an agent is writing, before it is a message. Not read aloud: the message is, once and whole.
    draft(text) {
      const atEnd = this.isAtEnd();
      if (!text) {
        this.drafted?.remove();
        this.drafted = null;
      } else {
        this.drafted ||= this.log.insertBefore(
          el("div", { class: "message agent draft", "aria-hidden": "true" }, el("div", { class: "said" })), this.typing);
        this.drafted.firstChild.replaceChildren(...asNodes(text));
      }
      this.showTyping();
      if (atEnd) this.toEnd();
    }

    showTyping() {
      this.typing.hidden = !this.state?.typing || Boolean(this.drafted);
    }

    // A file is fetched with the visitor's token, so that its address is of no use to anybody else, and saved, never shown.
    fileLink(file) {
      const size = file.size ? ` (${inUnits(file.size)})` : "";
      const label = el("span", {}, words.file(file.name, size));
      const link = el("button", { class: "file", type: "button", onclick: async () => {
        link.disabled = true;
        try {
          const response = await this.ask(`/chat/v1/files/${encodeURIComponent(file.id)}`, { signal: AbortSignal.timeout(120_000) });
          if (response.status === 404) { label.textContent = words.noFile; return; }
          if (response.ok) {
            const url = URL.createObjectURL(await response.blob());
            el("a", { href: url, download: file.name }).click();
            setTimeout(() => URL.revokeObjectURL(url), 60_000);
          }
        } catch { /* the network: it may be tried again */ }
        link.disabled = false;
      } }, icon(FILE_ICON), label);
      return link;
    }

    day(at) {
      const date = new Date(at);
      const key = date.toDateString();
      if (key === this.lastDay) return;
      this.lastDay = key;
      const today = this.now();
      const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
      const name = key === today.toDateString() ? words.today
        : key === yesterday.toDateString() ? words.yesterday
          : date.toLocaleDateString(locale, { weekday: "long", day: "numeric", month: "long" });
      this.note(name);
    }

    note(text) {
      const atEnd = this.isAtEnd();
      const made = el("div", { class: "note" }, text);
      this.log.insertBefore(made, this.typing);
      if (atEnd) this.toEnd();
      return made;
    }

    turnTo(state) {
      const before = this.state;
      this.state = state;
      if (state.with !== "agent") this.draft("");
      this.status.textContent = { agent: words.agent, waiting: words.waiting, person: words.person(state.name) }[state.with] || words.agent;
      if (before && before.with !== state.with) {
        if (state.with === "person") this.note(words.joined(state.name));
        else if (state.with === "waiting") this.note(words.called);
        else this.note(words.back);
      }
      const atEnd = this.isAtEnd();
      this.showTyping();
      if (state.typing && atEnd) this.toEnd();
    }

    isAtEnd() {
      return this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < 60;
    }

    toEnd() {
      this.log.scrollTop = this.log.scrollHeight;
    }
  }

  const start = () => {
    const inline = settings.mode === "inline";
    const place = (inline && settings.target && document.querySelector(settings.target)) || document.body;
    window.BalcaoChat = { chat: new Chat(place, inline), keepStream };
    document.dispatchEvent(new CustomEvent("balcao-chat"));
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start, { once: true });
  else start();
})();
