import { useEffect, useRef, useState } from "preact/hooks";
import type { UsageReport } from "../../reports/usage/usage-shapes.ts";
import { homePath } from "./about.ts";
import { type FilterName, filtersFor, filtersIn, whoseIn } from "./filters.ts";
import { changeQuery, route } from "./navigation.ts";
import { apiPath } from "./server.ts";
import { useAnswer } from "./use-answer.ts";

const TIMES = [
  ["", "Any time"],
  ["today", "Today"],
  ["7d", "Last 7 days"],
  ["30d", "Last 30 days"],
  ["90d", "Last 90 days"],
  ["12mo", "Last 12 months"],
] as const;
const HAS = [
  ["", "With anything"],
  ["error", "With errors"],
  ["image", "With images"],
  ["compaction", "With compactions"],
  ["branch", "With branches"],
  ["archived", "Archived"],
] as const;
const ORIGINS = [
  ["", "Any origin"],
  ["interactive", "Begun by a person"],
  ["fork", "Forks"],
  ["handoff", "Handoffs"],
  ["subagent", "Sub-agents"],
] as const;

/** Fields for filters; what they say stands in the address. */
export function FilterBar({ names }: { names: readonly FilterName[] }) {
  return (
    <div class="filters row">
      {filtersFor(route.value.query, names).map((name) => (
        <FilterField key={name} name={name} />
      ))}
    </div>
  );
}

function FilterField({ name }: { name: FilterName }) {
  switch (name) {
    case "since":
      return <Choice name={name} label="Since" choices={TIMES} />;
    case "has":
      return <Choice name={name} label="Has" choices={HAS} />;
    case "origin":
      return <Choice name={name} label="Origin" choices={ORIGINS} />;
    case "named":
      return <Switch name={name} label="Named" />;
    case "project":
    case "author":
    case "model":
      return <Completed name={name} />;
    default:
      return <Field name={name} />;
  }
}

type Choices = readonly (readonly [value: string, shown: string])[];

export function Choice({ name, label, choices }: { name: string; label: string; choices: Choices }) {
  const value = route.value.query[name] ?? "";
  const known = choices.some(([each]) => each === value)
    ? choices
    : [...choices, [value, `${label}: ${value}`] as const];
  return (
    <select
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => changeQuery({ [name]: currentTarget.value })}
    >
      {known.map(([each, shown]) => (
        <option key={each} value={each} selected={each === value}>
          {shown}
        </option>
      ))}
    </select>
  );
}

export function Switch({ name, label }: { name: string; label: string }) {
  return (
    <label class="switch">
      <input
        type="checkbox"
        checked={route.value.query[name] === "true"}
        onChange={({ currentTarget }) => changeQuery({ [name]: currentTarget.checked ? "true" : "" })}
      />{" "}
      {label}
    </label>
  );
}

interface SortProps {
  /** Its class. */
  kind: string;
  title: string;
  /** What the command calls it. */
  sort: string;
  /** The order where the address has none. */
  usual?: string;
  /** The direction that it begins with. */
  first?: "asc" | "desc";
  replace?: boolean;
}

/** The head of a column by which rows can be sorted, the other way round the second time. */
export function SortHead({ kind, title, sort, usual = "", first = "desc", replace = false }: SortProps) {
  const [key, direction] = (route.value.query.sort ?? usual).split(":");
  const isDown = direction !== "asc";
  const next = key !== sort ? first : isDown ? "asc" : "desc";
  return (
    <th scope="col" class={kind} aria-sort={key !== sort ? "none" : isDown ? "descending" : "ascending"}>
      <button
        type="button"
        class="sort"
        onClick={() => changeQuery({ sort: `${sort}:${next}` }, { replace })}
      >
        {title}
        {key === sort && <span aria-hidden="true">{isDown ? " ↓" : " ↑"}</span>}
      </button>
    </th>
  );
}

/** How long typing rests before it counts, in milliseconds. */
const REST = 250;

interface FieldProps {
  /** The word of the address. */
  name: string;
  label?: string;
  placeholder?: string;
  list?: string;
  id?: string;
  onEnter?: () => void;
}

/** A field that asks once typing rests. */
export function Field({
  name,
  label = name.charAt(0).toUpperCase() + name.slice(1),
  placeholder = label,
  list,
  id,
  onEnter,
}: FieldProps) {
  const asked = route.value.query[name] ?? "";
  const [text, setText] = useState(asked);
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText(asked), [asked]);
  return (
    <input
      id={id}
      type="search"
      aria-label={label}
      placeholder={placeholder}
      list={list}
      value={text}
      onKeyDown={({ key }) => key === "Enter" && onEnter?.()}
      onInput={({ currentTarget: { value } }) => {
        setText(value);
        clearTimeout(rest.current);
        rest.current = setTimeout(() => changeQuery({ [name]: value.trim() }, { replace: true }), REST);
      }}
    />
  );
}

/** A field that knows what there is, the dearest first. */
function Completed({ name }: { name: "project" | "author" | "model" }) {
  const [isUsed, setIsUsed] = useState(false);
  const path = isUsed
    ? apiPath("usage", { ...whoseIn(route.value.query), by: name, all: "true", limit: "100" })
    : null;
  const { answer } = useAnswer<UsageReport>(path, { isLive: false });
  return (
    <span onFocusIn={() => setIsUsed(true)}>
      <Field name={name} list={`${name}s`} />
      <datalist id={`${name}s`}>
        {answer?.rows.map(({ key }) => (
          <option key={key} value={key}>
            {homePath(key)}
          </option>
        ))}
      </datalist>
    </span>
  );
}

/** The filters that are on, each with a way to take it off. */
export function FilterChips({ without = [] }: { without?: readonly string[] }) {
  const on = Object.entries(filtersIn(route.value.query)).filter(([name]) => !without.includes(name));
  return (
    <>
      {on.map(([name, value]) => (
        <button key={name} type="button" class="chip" onClick={() => changeQuery({ [name]: "" })}>
          {name}: <bdi>{homePath(value)}</bdi> <span aria-hidden="true">×</span>
          <span class="unseen">, remove</span>
        </button>
      ))}
    </>
  );
}
