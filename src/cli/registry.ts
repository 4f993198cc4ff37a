import type { Registry } from "./command-line/command.ts";

export const REGISTRY: Registry = {
  frontPage: {
    form: "$0",
    group: "Find",
    aliases: ["stats"],
    about: "Show an overview, and what to do next",
    load: async () => (await import("./commands/status.ts")).status,
  },
  commands: [
    {
      form: "sync",
      group: "Care",
      about: "Bring the index up to date",
      load: async () => (await import("./commands/sync.ts")).sync,
    },
    {
      form: "list",
      group: "Find",
      aliases: ["ls", "log"],
      about: "List sessions, last active first",
      load: async () => (await import("./commands/list.ts")).list,
    },
    {
      form: "search <query..>",
      group: "Find",
      aliases: ["find"],
      about: "Search the full text of every conversation",
      takesDashes: true,
      load: async () => (await import("./commands/search.ts")).search,
    },
    {
      form: "show <session>",
      group: "Read",
      about: "Show one session as text, or one of its entries",
      load: async () => (await import("./commands/show.ts")).show,
    },
    {
      form: "tree <session>",
      group: "Read",
      about: "Show the tree of a session: branches and labels",
      load: async () => (await import("./commands/tree.ts")).tree,
    },
    {
      form: "labels",
      group: "Find",
      about: "List labelled entries of all sessions",
      load: async () => (await import("./commands/labels.ts")).labels,
    },
    {
      form: "files <path>",
      group: "Find",
      about: "List the sessions that read or changed a file",
      load: async () => (await import("./commands/files.ts")).files,
    },
    {
      form: "export <session>",
      group: "Read",
      about: "Write one session as Markdown, HTML or JSONL",
      load: async () => (await import("./commands/export.ts")).exportSession,
    },
    {
      form: "resume <session>",
      group: "Read",
      about: "Print or run the command that resumes a session",
      load: async () => (await import("./commands/resume.ts")).resume,
    },
    {
      form: "delete <session..>",
      group: "Care",
      about: "Move session files to the trash and forget them",
      load: async () => (await import("./commands/delete.ts")).deleteSessions,
    },
    {
      form: "usage [by]",
      group: "Money",
      aliases: ["cost"],
      about: "Show tokens and cost by day, model, project, ...",
      load: async () => (await import("./commands/usage.ts")).usage,
    },
    {
      form: "sql [query..]",
      group: "Find",
      about: "Query the index in SQL, read-only",
      load: async () => (await import("./commands/sql.ts")).sql,
    },
    {
      form: "daemon [action]",
      group: "Care",
      about: "Keep the index up to date in the background",
      load: async () => (await import("./commands/daemon.ts")).daemon,
    },
    {
      form: "verify [session..]",
      group: "Care",
      about: "Compare the index with the session files",
      load: async () => (await import("./commands/verify.ts")).verify,
    },
    {
      form: "completion [shell]",
      group: "Care",
      about: "Print a completion script for your shell",
      load: async () => (await import("./commands/completion.ts")).completion,
    },
    {
      form: "doctor",
      group: "Care",
      about: "Find what is wrong, and say what to do about it",
      load: async () => (await import("./commands/doctor.ts")).doctor,
    },
    {
      form: "schema [name]",
      group: "Find",
      about: "List tables, views and columns, for sql",
      load: async () => (await import("./commands/schema.ts")).schema,
    },
  ],
};
