import { type Command, ExitCode } from "../command-line/command.ts";

export const mcp: Command = {
  options: {},
  examples: [
    ["$0 mcp", "for a client that starts it, as pi-mcp, Claude or an editor does"],
    ["$0 mcp --agent-dir ~/.pi/agent", "of these sessions, whatever the client's environment says"],
  ],
  async run(context) {
    const { world, talk } = context;
    if (world.stdin.isTTY)
      talk.say(
        "Waiting for a client on standard input; Ctrl-C ends. See docs/mcp.md for how clients start it.",
      );
    const { serveTools } = await import("../mcp/mcp-server.ts");
    await world.interruptible((signal) => serveTools(context, signal));
    return ExitCode.done;
  },
};
