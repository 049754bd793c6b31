import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type IPty, spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { fakeAnthropic } from "../../../src/testing/fake-anthropic.ts";
import type { Script, ScriptedServer } from "../../../src/testing/scripted-server.ts";
import { cleanEnv, newPlace, type Place, program } from "../../program.ts";

/** A home, a workspace and a scripted model, for chats of the built program in a pseudo-terminal. */
export interface ChatPlace {
  readonly place: Place;
  readonly model: ScriptedServer;
  readonly shop: string;
  start(words?: readonly string[], options?: PtyOptions): PtyChat;
  /** The text of a request to the model. */
  wire(at: number): string;
  remove(): Promise<void>;
}

export interface PtyOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export interface PtyChat {
  readonly pid: number;
  type(keys: string): void;
  /** Presses a key after the time that reading a question takes. */
  answer(key: string): Promise<void>;
  /** Waits until the screen, with what scrolled off, has the text. Returns all of it. */
  see(text: string | RegExp): Promise<string>;
  /** Waits until the text is gone. */
  seeNo(text: string): Promise<void>;
  screen(): string;
  /** The bytes that the program wrote. */
  raw(): string;
  resize(columns: number, rows: number): void;
  readonly ended: Promise<{ readonly code: number }>;
  /** Leaves with Ctrl-C twice and waits for the end. */
  leave(): Promise<{ readonly code: number }>;
}

export async function newChatPlace(
  script: Script,
  files: Readonly<Record<string, string>> = {},
  settings: object = {},
): Promise<ChatPlace> {
  const model = await fakeAnthropic(script, { everyRequest: true });
  const key = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "plain-first-key-4711" };
  const place = newPlace(key);
  const shop = join(place.dir, "shop");
  mkdirSync(join(shop, ".git"), { recursive: true });
  mkdirSync(place.home, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(shop, name), text);
  const use = { use: ["anthropic/claude-sonnet-4-5"], exploreShare: 0, retryMs: 1, retries: 0 };
  writeFileSync(join(place.home, "config.json"), JSON.stringify({ embedder: "none", models: use, ...settings }));
  const open: PtyChat[] = [];
  return {
    ...{ place, model, shop },
    start: (words = [], options = {}) => {
      const env = { ...cleanEnv(place.user), OLDHAND_HOME: place.home, ...key, TERM: "xterm-256color", ...options.env };
      const chat = startPty([program, "chat", ...words], { ...options, env, cwd: shop });
      open.push(chat);
      return chat;
    },
    wire: (at) => JSON.stringify(model.requests.at(at)?.body),
    remove: async () => {
      for (const one of open) endProcess(one.pid);
      await model.close();
      place.remove();
    },
  };
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

function startPty(
  args: readonly string[],
  { columns = 80, rows = 40, env, cwd }: PtyOptions & { readonly cwd: string },
): PtyChat {
  const screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 5_000 });
  const child: IPty = spawn(process.execPath, [...args], { cols: columns, rows, cwd, env: { ...env } });
  let raw = "";
  const waiting = new Set<() => void>();
  // The emulator answers what the program asks of a terminal.
  screen.onData((answer) => child.write(answer));
  // A terminal may get one frame in several parts: the screen is looked at when it rests, or after a while.
  let resting: NodeJS.Timeout | undefined;
  let unseenSince = 0;
  child.onData((data) => {
    raw += data;
    unseenSince ||= Date.now();
    clearTimeout(resting);
    resting = setTimeout(
      () => {
        unseenSince = 0;
        screen.write("", () => {
          for (const look of waiting) look();
        });
      },
      Math.min(40, Math.max(0, unseenSince + 250 - Date.now())),
    );
    screen.write(data);
  });
  let code: number | null = null;
  const ended = new Promise<{ readonly code: number }>((resolve) => {
    child.onExit(({ exitCode }) => {
      // The last bytes may come after the exit.
      setTimeout(() => {
        screen.write("", () => {
          code = exitCode;
          for (const look of waiting) look();
          resolve({ code: exitCode });
        });
      }, 100);
    });
  });
  const read = () => {
    const { active } = screen.buffer;
    const lines = Array.from(
      { length: active.length },
      (_, at) => active.getLine(at)?.translateToString(true).trimEnd() ?? "",
    );
    return lines.join("\n").trimEnd();
  };
  const until = (fits: (text: string) => boolean, what: string) =>
    new Promise<string>((resolve, reject) => {
      const give = (error?: Error) => {
        clearTimeout(timer);
        waiting.delete(look);
        if (error === undefined) resolve(read());
        else reject(error);
      };
      const look = () => {
        if (fits(read())) give();
        else if (code !== null) give(new Error(`it ended with ${code} before ${what}:\n${read()}`));
      };
      const timer = setTimeout(() => give(new Error(`still not ${what}:\n${read()}`)), 20_000);
      waiting.add(look);
      look();
    });
  const type = (keys: string) => child.write(keys);
  const answer = async (key: string) => {
    await new Promise((resolve) => setTimeout(resolve, 600));
    type(key);
  };
  return {
    pid: child.pid,
    type,
    answer,
    see: (text) =>
      until((now) => (typeof text === "string" ? now.includes(text) : text.test(now)), `seen: ${String(text)}`),
    seeNo: async (text) => void (await until((now) => !now.includes(text), `gone: ${text}`)),
    screen: read,
    raw: () => raw,
    resize: (nextColumns, nextRows) => {
      screen.resize(nextColumns, nextRows);
      child.resize(nextColumns, nextRows);
    },
    ended,
    leave: async () => {
      type("\x03");
      await until((now) => /again\s+to\s+leave/.test(now), "warned");
      type("\x03");
      return ended;
    },
  };
}
