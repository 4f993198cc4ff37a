import { textOf } from "../command-line/args.ts";
import { type Command, ExitCode } from "../command-line/command.ts";

export const mcp: Command = {
  options: {},
  examples: [
    ["$0 mcp", "for a client that starts it, as pi-mcp, Claude or an editor does"],
    ["$0 mcp --agent-dir ~/.pi/agent", "of these sessions, whatever the client's environment says"],
  ],
  async run(context, args) {
    const { config, world, talk } = context;
    if (world.stdin.isTTY)
      talk.say(
        "Waiting for a client on standard input; Ctrl-C ends. See docs/mcp.md for how clients start it.",
      );
    const places = [
      ...["--agent-dir", config.agentDir, "--db", config.location.indexPath],
      ...config.roots.flatMap((root) => ["--sessions-dir", root]),
      ...(textOf(args, "config") === undefined ? [] : ["--config", config.configPath]),
      ...(textOf(args, "timezone") === undefined ? [] : ["--timezone", config.timezone]),
    ];
    const { serveTools } = await import("../mcp/mcp-server.ts");
    await world.interruptible((signal) => serveTools(context, places, signal));
    return ExitCode.done;
  },
};
