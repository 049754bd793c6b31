import type { StoreWatch } from "../engine/db.ts";
import { connect } from "./engine.ts";

const POLL_MS = 400;

/** `data_version` changes when another connection commits: cheap to read, and needs no file events. */
export function watchFile(path: string, onChange: () => void): StoreWatch {
  const connection = connect(path, { readOnly: true });
  connection.exec("pragma busy_timeout = 1000");
  const version = connection.prepare("pragma data_version");
  const read = () => (version.get() as { data_version: number }).data_version;
  let seen = read();
  const timer = setInterval(() => {
    const now = read();
    if (now === seen) return;
    seen = now;
    onChange();
  }, POLL_MS);
  timer.unref();
  return {
    close: async () => {
      clearInterval(timer);
      connection.close();
    },
  };
}
