import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Subject } from "./action.ts";
import { listActions } from "./applicable.ts";
import { notice, startAction, undoLast } from "./run-action.ts";
import { newSubject } from "./subjects.ts";

/** A command of the palette. */
export type ActionCommand = {
  readonly label: string;
  readonly keys?: string;
  readonly run: () => void;
};

/** The subject of the open page; null if it has none. */
export const currentPlace = signal<Subject | null>(null);

/** Sets `currentPlace` while the calling page is mounted. */
export function usePlace(subject: Subject | null): void {
  const key = subject === null ? null : JSON.stringify([subject.on, subject.id, subject.state]);
  useEffect(() => {
    currentPlace.value = subject;
    return () => {
      if (currentPlace.peek() === subject) currentPlace.value = null;
    };
  }, [key]);
}

const makers = ["rule", "memory", "ledger", "identity", "job", "goal", "mind"] as const;

/** Commands for the page's subject first, then those that create something or run anywhere. */
export function commandsFor(place: Subject | null): readonly ActionCommand[] {
  const last = notice.value;
  return [
    ...(last !== null && last.changes.length > 0
      ? [{ label: "Take the last action back", run: () => void undoLast() }]
      : []),
    ...(place === null ? [] : listCommands(place, `${place.on}`)),
    ...makers.flatMap((on) => listCommands(newSubject(on), null)),
  ];
}

function listCommands(subject: Subject, named: string | null): readonly ActionCommand[] {
  return listActions(subject).map((action) => ({
    label: named === null ? action.label : `${action.label} (this ${named})`,
    run: () => void startAction({ action, subject }),
  }));
}
