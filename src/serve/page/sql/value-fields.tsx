import type { Values } from "./parameters.ts";

interface FieldsProps {
  values: Values;
  onInput: (name: string, value: string) => void;
  onRun: () => void;
}

/** A field for each value that a statement wants. */
export function ValueFields({ values, onInput, onRun }: FieldsProps) {
  const entries = Object.entries(values);
  if (entries.length === 0) return null;
  return (
    <p class="row">
      {entries.map(([name, value]) => (
        <label key={name}>
          <code>:{name}</code>{" "}
          <input
            value={value}
            onInput={({ currentTarget }) => onInput(name, currentTarget.value)}
            onKeyDown={(event) => event.key === "Enter" && onRun()}
          />
        </label>
      ))}
    </p>
  );
}
