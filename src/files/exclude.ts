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
  const normal = (path: string): string => (isLenient(platform) ? path.normalize() : path);
  const excluded = pathPattern(patterns.map(normal), platform);
  return (path) => excluded.test(normal(path));
}

/** Matches the beginning of a path that is one of the patterns, up to the end of a name. */
export function pathPattern(
  patterns: readonly string[],
  platform: NodeJS.Platform = process.platform,
): RegExp {
  const sources = patterns.map((pattern) => {
    const names = pattern.replace(/[/\\]+$/, "").split("*");
    return names.map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&")).join("[^/\\\\]*");
  });
  return new RegExp(`^(?:${sources.join("|")})(?=[/\\\\]|$)`, isLenient(platform) ? "i" : "");
}

function isLenient(platform: NodeJS.Platform): boolean {
  return platform === "win32" || platform === "darwin";
}
