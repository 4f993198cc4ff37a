import type { Registry } from "./command-line/command.ts";

export const REGISTRY: Registry = {
  frontPage: {
    form: "$0",
    about: "Show an overview, and what to do next",
    load: async () => (await import("./commands/status.ts")).status,
  },
  commands: [
    {
      form: "sync",
      about: "Bring the index up to date",
      load: async () => (await import("./commands/sync.ts")).sync,
    },
    {
      form: "list",
      about: "List sessions, last active first",
      load: async () => (await import("./commands/list.ts")).list,
    },
    {
      form: "search <query..>",
      about: "Search the full text of every conversation",
      takesDashes: true,
      load: async () => (await import("./commands/search.ts")).search,
    },
    {
      form: "show <session>",
      about: "Show one session as text, or one of its entries",
      load: async () => (await import("./commands/show.ts")).show,
    },
    {
      form: "tree <session>",
      about: "Show the tree of a session: branches and labels",
      load: async () => (await import("./commands/tree.ts")).tree,
    },
    {
      form: "labels",
      about: "List labelled entries of all sessions",
      load: async () => (await import("./commands/labels.ts")).labels,
    },
    {
      form: "files <path>",
      about: "List the sessions that read or changed a file",
      load: async () => (await import("./commands/files.ts")).files,
    },
    {
      form: "export <session>",
      about: "Write one session as Markdown, HTML or JSONL",
      load: async () => (await import("./commands/export.ts")).exportSession,
    },
    {
      form: "resume <session>",
      about: "Print or run the command that resumes a session",
      load: async () => (await import("./commands/resume.ts")).resume,
    },
    {
      form: "delete <session..>",
      about: "Move session files to the trash and forget them",
      load: async () => (await import("./commands/delete.ts")).deleteSessions,
    },
    {
      form: "usage [by]",
      about: "Show tokens and cost by day, model, project, ...",
      load: async () => (await import("./commands/usage.ts")).usage,
    },
    {
      form: "sql [query..]",
      about: "Query the index in SQL, read-only",
      load: async () => (await import("./commands/sql.ts")).sql,
    },
    {
      form: "daemon [action]",
      about: "Keep the index up to date in the background",
      load: async () => (await import("./commands/daemon.ts")).daemon,
    },
    {
      form: "verify [session..]",
      about: "Compare the index with the session files",
      load: async () => (await import("./commands/verify.ts")).verify,
    },
    {
      form: "completion [shell]",
      about: "Print a completion script for your shell",
      load: async () => (await import("./commands/completion.ts")).completion,
    },
    {
      form: "doctor",
      about: "Find what is wrong, and say what to do about it",
      load: async () => (await import("./commands/doctor.ts")).doctor,
    },
    {
      form: "schema [name]",
      about: "List tables, views and columns, for sql",
      load: async () => (await import("./commands/schema.ts")).schema,
    },
  ],
};
