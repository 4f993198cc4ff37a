import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { about } from "./about.ts";
import { canBeOfTeam, isOfTeam, whoseIn } from "./filters.ts";
import { KeySheet } from "./key-sheet.tsx";
import { useKeys } from "./keys.ts";
import { liveState } from "./live.ts";
import { goTo, route } from "./navigation.ts";
import { PAGE_PATHS, type PageName, pageAddress, type Query } from "./route.ts";
import { said } from "./said.ts";
import { SearchBox } from "./search/search-box.tsx";

const LINKS: readonly [page: keyof typeof PAGE_PATHS, name: string, key: string][] = [
  ["overview", "Overview", "o"],
  ["sessions", "Sessions", "s"],
  ["search", "Search", "l"],
  ["usage", "Usage", "u"],
  ["files", "Files", "f"],
  ["labels", "Labels", "b"],
  ["sql", "SQL", "q"],
  ["health", "Health", "h"],
];

const isSheetOpen = signal(false);

/** What stands around every page. */
export function Shell({ children }: { children: ComponentChildren }) {
  useKeys({
    "/": { about: "Search", run: () => document.getElementById("search")?.focus() },
    "?": { about: "Show the keys", run: () => openSheet() },
    ...Object.fromEntries(
      LINKS.map(([page, name, key]) => [
        `g ${key}`,
        { about: `Go to ${name}`, run: () => goTo(pageAddress(PAGE_PATHS[page], whoseFor(page))) },
      ]),
    ),
  });
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Top />
      {about.value.reveals && (
        <p class="banner">Secrets are shown as they are: the server was started with --reveal.</p>
      )}
      {liveState.value === "lost" && (
        <p class="banner" role="status">
          The server does not answer. It ends with the terminal that started it: run sessiondb serve again.
        </p>
      )}
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <output class="said">{said.value}</output>
      {isSheetOpen.value && <KeySheet onClose={() => closeSheet()} />}
    </>
  );
}

function openSheet(): void {
  isSheetOpen.value = true;
}

function closeSheet(): void {
  isSheetOpen.value = false;
}

function Top() {
  const { page } = route.value;
  return (
    <header class="top">
      <a class="brand" href="/">
        sessiondb
      </a>
      <nav aria-label="Pages">
        {LINKS.map(([name, shown]) => (
          <a
            key={name}
            href={pageAddress(PAGE_PATHS[name], whoseFor(name))}
            aria-current={page === name ? "page" : undefined}
          >
            {shown}
          </a>
        ))}
      </nav>
      <SearchBox />
      <Whose />
      <LiveDot />
      <button type="button" class="quiet" onClick={openSheet} aria-label="Keys">
        ?
      </button>
    </header>
  );
}

/** What a page is asked of goes along to those that can be asked it. */
function whoseFor(page: PageName): Query {
  return canBeOfTeam(page) ? whoseIn(route.value.query) : {};
}

/** The switch between this machine's sessions and what a team has pushed. */
function Whose() {
  const { page, query } = route.value;
  if (!about.value.hasTeam || !canBeOfTeam(page)) return null;
  const { q = "", since = "", model = "" } = query;
  const team = isOfTeam(query) ? "" : "true";
  return (
    <button
      type="button"
      aria-pressed={team === ""}
      onClick={() => goTo(pageAddress(location.pathname, { q, since, model, team }))}
    >
      Team
    </button>
  );
}

const LIVE = {
  live: "New entries show as they come",
  paused: "Waits until the page is looked at",
  lost: "The server does not answer",
};

function LiveDot() {
  const state = liveState.value;
  return (
    <span class={`live ${state}`} title={LIVE[state]}>
      {state}
    </span>
  );
}

/** The one heading of a page, which is its title, too. */
export function PageTitle({ children, hidden = false }: { children: string; hidden?: boolean }) {
  useEffect(() => {
    document.title = `${children} · sessiondb`;
  }, [children]);
  return (
    <h1 class={hidden ? "unseen" : ""}>
      <bdi>{children}</bdi>
    </h1>
  );
}
