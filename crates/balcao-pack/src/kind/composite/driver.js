// Runs a helper that calls commands. It is run again from its beginning after every call, with the answers so far: what it computes is
// the same each time, so it comes to the next call, or to its end. Between two runs nothing of it is kept.
export default async function run(target, args, names, answers) {
  const { parse, stringify } = JSON;
  let next = 0;
  let asked;
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
  const call = (tool) => (given) => {
    // Whoever catches the interruption gets no further.
    if (asked !== undefined) throw asked.stop;
    const place = next++;
    if (place >= answers.length) {
      asked = { tool, arguments: parse(stringify(given ?? {})), stop: new Error("interrupted to call " + tool) };
      throw asked.stop;
    }
    const known = answers[place];
    if (known.error !== undefined) throw ToolError.of(known.error, place);
    return known.value;
  };
  const tools = Object.freeze(Object.fromEntries(names.map((name) => [name, call(name)])));
  try {
    const value = await globalThis[target](args, tools);
    return asked === undefined ? { value: value ?? null } : { tool: asked.tool, arguments: asked.arguments };
  } catch (error) {
    if (asked === undefined) {
      const place = ToolError.place(error);
      if (place === undefined) throw error;
      return { failed: place };
    }
    return { tool: asked.tool, arguments: asked.arguments };
  }
}
