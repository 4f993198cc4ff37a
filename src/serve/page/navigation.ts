import { signal } from "@preact/signals";
import { pageAddress, parseRoute, type Query } from "./route.ts";

export const route = signal(parseRoute(location.pathname, location.search));

/** Goes to another page; `replace` leaves no step behind for the way back. */
export function goTo(address: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  const before = route.value;
  const now = parseRoute(location.pathname, location.search);
  route.value = now;
  if (!replace && (before.page !== now.page || before.session !== now.session)) scrollTo(0, 0);
}

/** Changes some words of the address and leaves the rest; empty ones go. */
export function changeQuery(changes: Query, { replace = false } = {}): void {
  goTo(pageAddress(location.pathname, { ...route.value.query, ...changes }), { replace });
}

/** The link that a click follows within the page: without keys held, within this origin, nothing to be stored. */
function linkOf(event: MouseEvent): HTMLAnchorElement | null {
  if (event.defaultPrevented || event.button !== 0) return null;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link === null || link.origin !== location.origin || link.target !== "" || link.download !== "")
    return null;
  return link.getAttribute("href")?.startsWith("#") ? null : link;
}

export function followAddresses(): void {
  addEventListener("popstate", () => {
    route.value = parseRoute(location.pathname, location.search);
  });
  document.addEventListener("click", (event) => {
    const link = linkOf(event);
    if (link === null) return;
    event.preventDefault();
    goTo(link.pathname + link.search);
  });
}
