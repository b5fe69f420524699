// Runs a helper that calls commands. It is run again from its beginning after every call, with the answers so far: what it computes is
// the same each time, so it comes to the next call, or to its end. Between two runs nothing of it is kept.
//
// With `promises` a call gives a promise, else its value. An answer that is `unmade` stands for what nobody has asked for yet: it may be
// kept and passed on, and whoever looks into it ends the run.
export default async function run(target, args, names, answers, promises) {
  const { parse, stringify } = JSON;
  let next = 0;
  let asked;
  let peeked;
  let over = false;
  class ToolError extends Error {
    constructor(told) {
      super(told.error);
      this.name = "ToolError";
      this.code = told.code;
      this.details = told.details;
    }
    // Which call it is of: set by us alone.
    #place;
    static of(told, place) {
      const error = new ToolError(told);
      error.#place = place;
      return error;
    }
    static place(error) {
      return typeof error === "object" && error !== null && #place in error ? error.#place : undefined;
    }
  }
  const peek = () => {
    peeked = new Error("what a call gives that was not made is not known");
    throw peeked;
  };
  const traps = ["set", "has", "deleteProperty", "ownKeys", "getOwnPropertyDescriptor", "defineProperty"];
  const unmade = () =>
    new Proxy(
      {},
      {
        // `await` asks for it of everything.
        get: (_, key) => (key === "then" ? undefined : peek()),
        ...Object.fromEntries(traps.map((trap) => [trap, peek])),
      },
    );
  const answered = (place) => {
    const known = answers[place];
    if (known.unmade) return unmade();
    if (known.error !== undefined) throw ToolError.of(known.error, place);
    return known.value;
  };
  const call = (tool) => (given) => {
    // A program that catches the interruption gets no further.
    if (asked !== undefined) throw asked.stop;
    if (peeked !== undefined) throw peeked;
    const place = next++;
    if (place >= answers.length) {
      asked = { tool, arguments: parse(stringify(given ?? {})), stop: new Error("interrupted to call " + tool) };
      throw asked.stop;
    }
    if (!promises) return answered(place);
    try {
      return Promise.resolve(answered(place));
    } catch (error) {
      return Promise.reject(error);
    }
  };
  const tools = Object.freeze(Object.fromEntries(names.map((name) => [name, call(name)])));
  const ended = (value) => {
    if (asked !== undefined) return { tool: asked.tool, arguments: asked.arguments };
    if (peeked !== undefined) return { peeked: true, over };
    // A program that only gives back what is not known yet makes no further call.
    over = true;
    return { value: value === undefined ? null : parse(stringify(value) ?? "null") };
  };
  try {
    return ended(await globalThis[target](args, tools));
  } catch (error) {
    if (asked !== undefined || peeked !== undefined) return ended();
    const place = ToolError.place(error);
    if (place === undefined) throw error;
    return { failed: place, trace: String(error.stack) };
  }
}
