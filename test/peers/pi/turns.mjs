// What a scripted model says in one turn: a list of blocks made with these functions. A lone string is `[say(text)]`.

export const say = (text) => ({ type: "text", text });
export const think = (thinking) => ({ type: "thinking", thinking });

export const read = (path, window = {}) => call("read", { path, ...window });
export const write = (path, content) => call("write", { path, content });
/** @param edits pairs of old and new text */
export const edit = (path, ...edits) =>
  call("edit", { path, edits: edits.map(([oldText, newText]) => ({ oldText, newText })) });
/** The command is not run: it prints `output`. */
export const bash = (command, output = "", { exitCode = 0, seconds = 1 } = {}) => ({
  ...call("bash", { command }),
  expected: { command, output, exitCode, seconds },
});

/** A turn the provider refuses. pi tries again by itself if the message is one that passes. */
export const refuse = (errorMessage) => ({ errorMessage });
/** A turn the user interrupts (Escape) once about `characters` of it have arrived. */
export const interrupted = (turn, characters) => ({ turn, characters });

function call(name, args) {
  return { type: "toolCall", name, arguments: args };
}
