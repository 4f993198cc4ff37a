import type { Grouping, ReportCalendar } from "./groupings.ts";

/** What rows are grouped by, as the database gives it. */
export type Group = string | number | null;

/** The place of a group in the order of time. */
export function placeIn({ period }: Grouping, calendar: ReportCalendar): (group: Group) => number {
  if (period === undefined) return () => 0;
  const { place } = period;
  return place === undefined ? Number : (group) => place(Number(group), calendar);
}

/** Makes the names of groups, each once. */
export class GroupNames {
  readonly #grouping: Grouping;
  readonly #calendar: ReportCalendar;
  readonly #known = new Map<Group, string>();

  constructor(grouping: Grouping, calendar: ReportCalendar) {
    this.#grouping = grouping;
    this.#calendar = calendar;
  }

  of(group: Group): string {
    const known = this.#known.get(group);
    if (known !== undefined) return known;
    const name = this.#nameOf(group);
    this.#known.set(group, name);
    return name;
  }

  #nameOf(group: Group): string {
    const { period, empty = "unknown" } = this.#grouping;
    if (period !== undefined) return period.name(Number(group), this.#calendar);
    return group === null || group === "" ? empty : String(group);
  }
}
