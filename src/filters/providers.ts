/** Providers that pi has given another name: what is new to people stands second. Rows keep what the files state. */
const RENAMED_PROVIDERS = [["azure-openai-responses", "azure"]] as const;

/** A provider by the name that pi has for it today. */
export function currentProvider(stated: string): string {
  return RENAMED_PROVIDERS.find(([former]) => former === stated)?.[1] ?? stated;
}

/** `currentProvider` of a column, as SQL. `column` is ours, never the user's. */
export function currentProviderOf(column: string): string {
  const cases = RENAMED_PROVIDERS.map(([former, name]) => `WHEN '${former}' THEN '${name}'`);
  return `CASE ${column} ${cases.join(" ")} ELSE ${column} END`;
}

/** All names of a provider, by whichever of them it is called. */
export function namesOfProvider(asked: string): string[] {
  const name = currentProvider(asked);
  return [name, ...RENAMED_PROVIDERS.flatMap(([from, to]) => (to === name ? [from] : []))];
}
