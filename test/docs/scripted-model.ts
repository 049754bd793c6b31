import { fakeOllama, type FakeOllama } from "../../src/testing/fake-ollama.ts";

/** Stands in for the Ollama that a page's examples use: it answers as the page shows. */
export function startScriptedModel(): Promise<FakeOllama> {
  return fakeOllama(({ body }) => {
    const { messages = [] } = (body ?? {}) as { readonly messages?: readonly { readonly content?: string }[] };
    const last = messages.at(-1)?.content ?? "";
    return { text: last.includes("late?") ? "Then Mr Bloom gets them." : "Bills go to accounting." };
  });
}
