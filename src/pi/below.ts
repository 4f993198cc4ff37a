/** The rest of a path after a folder, its separator first; empty for the folder itself, null for a path elsewhere. */
export function restBelow(path: string, folder: string): string | null {
  // The root folder already ends in a separator.
  const name = folder.replace(/[/\\]$/, "");
  if (path === folder) return "";
  return path.startsWith(`${name}/`) || path.startsWith(`${name}\\`) ? path.slice(name.length) : null;
}
