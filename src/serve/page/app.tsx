import type { JSX } from "preact";
import { useEffect, useErrorBoundary, useState } from "preact/hooks";
import { readAbout } from "./about.ts";
import { route } from "./navigation.ts";
import { FilesPage } from "./pages/files-page.tsx";
import { HealthPage } from "./pages/health-page.tsx";
import { LabelsPage } from "./pages/labels-page.tsx";
import { OverviewPage } from "./pages/overview-page.tsx";
import { ReaderPage } from "./pages/reader-page.tsx";
import { SearchPage } from "./pages/search-page.tsx";
import { SessionsPage } from "./pages/sessions-page.tsx";
import { SqlPage } from "./pages/sql-page.tsx";
import { UsagePage } from "./pages/usage-page.tsx";
import type { PageName } from "./route.ts";
import { type Failure, isLoggedIn, logIn } from "./server.ts";
import { PageTitle, Shell } from "./shell.tsx";
import { FailureNote } from "./states.tsx";
import { asFailure } from "./use-answer.ts";

export function App() {
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isReady, setIsReady] = useState(false);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    setFailure(null);
    begin().then(
      () => setIsReady(true),
      (error: unknown) => setFailure(asFailure(error)),
    );
  }, [turn]);
  if (!isLoggedIn.value && (isReady || failure !== null)) return <Stranger failure={failure} />;
  return (
    <Shell>
      {failure !== null && <FailureNote failure={failure} again={() => setTurn(turn + 1)} />}
      {isReady && <CurrentPage key={route.value.page} />}
    </Shell>
  );
}

async function begin(): Promise<void> {
  await logIn();
  if (isLoggedIn.value) await readAbout();
}

/** The page, or what went wrong while it was drawn. */
function CurrentPage() {
  const [error, reset] = useErrorBoundary();
  if (error !== undefined) return <FailureNote failure={asFailure(error)} again={reset} />;
  const Page = PAGES[route.value.page];
  return <Page />;
}

const PAGES: Record<PageName, () => JSX.Element> = {
  overview: OverviewPage,
  sessions: SessionsPage,
  search: SearchPage,
  usage: UsagePage,
  files: FilesPage,
  labels: LabelsPage,
  reader: ReaderPage,
  sql: SqlPage,
  health: HealthPage,
  unknown: NoPage,
};

function NoPage() {
  return (
    <>
      <PageTitle>There is no such page</PageTitle>
      <p>
        <a href="/">Go to the overview</a>
      </p>
    </>
  );
}

/** For whoever has no token, or one of a server that has ended. */
function Stranger({ failure }: { failure: Failure | null }) {
  return (
    <main class="stranger">
      <PageTitle>sessiondb</PageTitle>
      {failure !== null && <FailureNote failure={failure} />}
      <p>
        This page opens with the link that <code>sessiondb serve</code> prints. Each link opens it once, and
        the server forgets everybody when it ends.
      </p>
      <p>
        Press Enter where it runs, and it prints another link; or run <code>sessiondb serve</code> again.
      </p>
    </main>
  );
}
