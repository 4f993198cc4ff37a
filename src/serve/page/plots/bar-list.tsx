export interface ListedBar {
  key: string;
  label: string;
  value: number;
  href?: string | undefined;
}

/** Bars from the largest down, each with its name and figure: nothing needs a legend. */
export function BarList({ bars, format }: { bars: readonly ListedBar[]; format: (value: number) => string }) {
  const most = Math.max(0, ...bars.map(({ value }) => value));
  return (
    <ol class="bars">
      {bars.map(({ key, label, value, href }) => (
        <li key={key}>
          <span class="name" title={label}>
            {href === undefined ? (
              <bdi>{label}</bdi>
            ) : (
              <a href={href}>
                <bdi>{label}</bdi>
              </a>
            )}
          </span>
          <span class="number">{format(value)}</span>
          <Bar part={most === 0 ? 0 : value / most} />
        </li>
      ))}
    </ol>
  );
}

/** A bar that fills a part of its width, from 0 to 1; `mark` is a place on it. */
export function Bar({ part, kind = "", mark }: { part: number; kind?: string; mark?: number }) {
  return (
    <svg class={`bar ${kind}`} width="100%" height="6" aria-hidden="true">
      <rect class="all" width="100%" height="6" rx="2" />
      <rect class="part" width={`${Math.min(1, part) * 100}%`} height="6" rx="2" />
      {mark !== undefined && <rect class="mark" x={`${mark * 100}%`} width="1.5" height="6" />}
    </svg>
  );
}
