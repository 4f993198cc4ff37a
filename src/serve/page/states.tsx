import type { ComponentChildren } from "preact";
import type { Failure } from "./server.ts";
import type { AnswerState } from "./use-answer.ts";

export function FailureNote({ failure, again }: { failure: Failure; again?: () => void }) {
  return (
    <div class="failure" role="alert">
      <p>
        <b>{sentence(failure.message)}</b>
      </p>
      {failure.hint !== "" && <p>{failure.hint}</p>}
      {failure.choices.map((choice) => (
        <div key={choice}>
          <bdi>{choice}</bdi>
        </div>
      ))}
      {again !== undefined && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A grey place as high as what will stand there. @param height pixels */
export function GreyBox({ height }: { height: number }) {
  return <div class="grey" style={{ height: `${height}px` }} aria-hidden="true" />;
}

interface AnswerViewProps<T> {
  asked: AnswerState<T>;
  /** Of the grey box until the first answer, in pixels. */
  height: number;
  children: (answer: T) => ComponentChildren;
}

/** What is shown of an answer: it, a grey box before the first, and what went wrong. */
export function AnswerView<T>({ asked, height, children }: AnswerViewProps<T>) {
  const { answer, failure, again, isAsking, notes } = asked;
  if (answer === null) {
    return failure === null ? <GreyBox height={height} /> : <FailureNote failure={failure} again={again} />;
  }
  return (
    <div class={isAsking ? "asking" : ""} aria-busy={isAsking}>
      {failure !== null && <FailureNote failure={failure} again={again} />}
      {notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      {children(answer)}
    </div>
  );
}

export function Card({
  title,
  aside,
  children,
}: {
  title: string;
  aside?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class="card">
      <header class="row">
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

export function NothingYet() {
  return (
    <p class="empty">
      No sessions yet. pi writes them to <code>~/.pi/agent/sessions</code>; <code>sessiondb demo</code> shows
      what there would be to see.
    </p>
  );
}

/** Holds what may be too wide or too high. */
export function ScrollBox({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard, too.
    <section class="scroll" aria-label={name} tabIndex={0}>
      {children}
    </section>
  );
}
