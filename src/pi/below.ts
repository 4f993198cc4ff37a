/** How a path goes on below a folder, its separator first; empty for the folder itself, null for what is elsewhere. */
export function restBelow(path: string, folder: string): string | null {
  // The topmost folder ends in a separator by itself.
  const name = folder.replace(/[/\\]$/, "");
  if (path === folder) return "";
  return path.startsWith(`${name}/`) || path.startsWith(`${name}\\`) ? path.slice(name.length) : null;
}
