const DEFAULT_PORT = 11434;

/** `OLLAMA_HOST` as Ollama itself reads it: an address, a host, a host and port, or only a port. */
export function readOllamaHost(value: string | undefined): string {
  const text = value?.trim().replace(/\/+$/, "") ?? "";
  if (text === "") return `http://127.0.0.1:${DEFAULT_PORT}`;
  const [, scheme = "http", rest = text] = /^(https?):\/\/(.*)$/i.exec(text) ?? [];
  const [, host = "", port, path = ""] = /^(\[[^\]]*\]|[^:/]*)(?::(\d+))?(\/.*)?$/.exec(rest) ?? [];
  // A server that listens on all addresses is reached at 127.0.0.1.
  const reached = host === "" || host === "0.0.0.0" || host === "[::]" ? "127.0.0.1" : host;
  const hasScheme = rest !== text;
  const usual = hasScheme ? (scheme.toLowerCase() === "https" ? 443 : 80) : DEFAULT_PORT;
  return `${scheme.toLowerCase()}://${reached}:${port ?? usual}${path}`;
}
