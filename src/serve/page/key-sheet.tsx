import { useEffect, useRef } from "preact/hooks";
import { areKeysOn, keysNow, switchKeys } from "./keys.ts";

/** Which keys work on this page, and the switch that turns them all off. */
export function KeySheet({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="sheet" aria-labelledby="keys" onClose={onClose}>
      <h2 id="keys">Keys</h2>
      <dl class="keys">
        {keysNow().map(([key, what]) => (
          <div key={key}>
            <dt>
              {key.split(" ").map((each) => (
                <kbd key={each}>{nameOf(each)}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog" class="row">
        <label>
          <input
            type="checkbox"
            checked={areKeysOn.value}
            onChange={(event) => switchKeys(event.currentTarget.checked)}
          />{" "}
          Single keys work
        </label>
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}

function nameOf(key: string): string {
  if (key === "Escape") return "Esc";
  return /^[A-Z]$/.test(key) ? `Shift ${key}` : key;
}
