import { iso } from "../../lib/clock.ts";

/** A model that its provider does not know. The router leaves it out until it is added or tested again, or the entry is undone. */
export interface RetiredModel {
  /** `provider/model`. */
  readonly id: string;
  readonly at: number;
  readonly message: string;
  /** The provider's address. At another address the model may exist. */
  readonly url?: string;
}

/** Whether an answer is about this model. Another one, such as that of a mistyped address, says nothing about the model. */
export function namesModel(message: string, model: string): boolean {
  const [said, name] = [message.toLowerCase(), model.toLowerCase()];
  return said.includes(name) || said.includes(name.split("/").at(-1) ?? name);
}

/** For the call that learned it, without a full stop. */
export function explainNowLeftOut(id: string): string {
  return `${id} is left out from now on; oldhand models add ${id} brings it back`;
}

/** `left out since 2026-11-17, because the provider answered 404. If that was wrong: oldhand models add …`, without a full stop. */
export function explainRetired({ id, at, message }: RetiredModel): string {
  const status = /\banswers (\d{3})\b/.exec(message)?.[1];
  const why = status === undefined ? "does not know it" : `answered ${status}`;
  return `left out since ${iso(at).slice(0, 10)}, because the provider ${why}. If that was wrong: oldhand models add ${id}`;
}
