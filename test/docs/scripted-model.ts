import { fakeOllama, type FakeOllama } from "../../src/testing/fake-ollama.ts";
import type { Script } from "../../src/testing/scripted-server.ts";

/** Stands in for the Ollama that a page's examples use: it answers as the page shows. */
export function startScriptedModel(): Promise<FakeOllama> {
  const script: Script = ({ body }) => {
    const { messages = [] } = (body ?? {}) as { readonly messages?: readonly { readonly content?: string }[] };
    const last = messages.at(-1)?.content ?? "";
    return { text: last.includes("late?") ? "Then Mr Bloom gets them." : "Bills go to accounting." };
  };
  return fakeOllama(script, { models: ["llama3.2:latest"] });
}
