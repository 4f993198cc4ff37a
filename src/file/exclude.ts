/** Whether a file or folder is to be left alone, by the path it is reached by or by its real one. */
export type IsExcluded = (path: string) => boolean;

export const NOTHING_EXCLUDED: IsExcluded = () => false;

/**
 * Excluded is what one of the absolute paths names, and what lies below it. `*` stands for any part of one name. Where
 * a file system mostly takes names for the same that differ in case, or in how an accent is written, they are.
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
