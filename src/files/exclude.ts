/** Whether a file or folder is excluded, by the path by which it is reached or by its real one. */
export type IsExcluded = (path: string) => boolean;

export const NOTHING_EXCLUDED: IsExcluded = () => false;

/**
 * Excludes what one of the absolute paths names, and all that lies below it. `*` stands for any part of one name. On
 * platforms whose file systems usually take names that differ in case, or in how an accent is encoded, for the same,
 * such names are the same here.
 */
export function exclusionOf(
  patterns: readonly string[],
  platform: NodeJS.Platform = process.platform,
): IsExcluded {
  if (patterns.length === 0) return NOTHING_EXCLUDED;
  const isLenient = platform === "win32" || platform === "darwin";
  const normal = (path: string): string => (isLenient ? path.normalize() : path);
  const sources = patterns.map(normal).map((pattern) => {
    const names = pattern.replace(/[/\\]+$/, "").split("*");
    return names.map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&")).join("[^/\\\\]*");
  });
  const excluded = new RegExp(`^(?:${sources.join("|")})(?:[/\\\\]|$)`, isLenient ? "i" : "");
  return (path) => excluded.test(normal(path));
}
