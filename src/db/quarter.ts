/** What a row of `usage_quarters` stands for: a quarter of an hour, which every zone's day is made of. */
export const QUARTER_MS = 15 * 60 * 1000;
