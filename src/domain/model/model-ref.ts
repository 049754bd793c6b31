/** A model of a provider. Written `provider/model`; the model's name may contain slashes: `openrouter/meta-llama/llama-4`. */
export interface ModelRef {
  readonly provider: string;
  readonly model: string;
}

/** Null if the text does not have the form `provider/model`. */
export function parseModelRef(text: string): ModelRef | null {
  const slash = text.indexOf("/");
  if (slash <= 0 || slash === text.length - 1 || /\s/.test(text)) return null;
  return { provider: text.slice(0, slash), model: text.slice(slash + 1) };
}

export function formatModelRef({ provider, model }: ModelRef): string {
  return `${provider}/${model}`;
}
