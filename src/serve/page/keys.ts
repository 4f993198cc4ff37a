import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

/** A key, as `KeyboardEvent.key` calls it (`J` is Shift+j), or two after one another: `g s`. */
export type KeyBindings = Record<string, { about: string; run: () => void }>;

const OFF = "sessiondb-keys-off";
export const areKeysOn = signal(localStorage.getItem(OFF) === null);

export function switchKeys(on: boolean): void {
  if (on) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, "1");
  areKeysOn.value = on;
}

interface Layer {
  current: KeyBindings;
}

/** What was added last comes first. */
const layers: Layer[] = [];

/** Keys that work as long as the component is shown. */
export function useKeys(bindings: KeyBindings): void {
  const layer = useRef(bindings);
  layer.current = bindings;
  useEffect(() => {
    layers.unshift(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, []);
}

/** All that work now, with what they do. */
export function keysNow(): [key: string, about: string][] {
  const known = new Map<string, string>();
  for (const { current } of layers) {
    for (const [key, { about }] of Object.entries(current)) if (!known.has(key)) known.set(key, about);
  }
  return [...known];
}

/** How long a first key waits for the second, in milliseconds. */
const WAIT = 1200;

let first = { key: "", at: 0 };

export function listenToKeys(): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (isTyping(event.target) || document.querySelector("dialog[open]") !== null) return;
    if (!areKeysOn.value && event.key !== "?") return;
    const both = Date.now() - first.at < WAIT ? `${first.key} ${event.key}` : event.key;
    const bindings = layers.map(({ current }) => current);
    const found =
      bindings.find((each) => both in each)?.[both] ??
      bindings.find((each) => event.key in each)?.[event.key];
    first = { key: event.key, at: found === undefined ? Date.now() : 0 };
    if (found === undefined) return;
    event.preventDefault();
    found.run();
  });
}

/** Where keys are text, or choose something. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button"].includes(target.type);
  return target.isContentEditable || ["TEXTAREA", "SELECT"].includes(target.tagName);
}
