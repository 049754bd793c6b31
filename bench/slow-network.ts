import { connect, createServer, type Socket } from "node:net";

/** A server behind a network: what is sent through it arrives half a round trip later. */
export interface SlowNetwork {
  /** The address, as reached through the network. */
  readonly address: string;
  /** `hang`: what is sent no longer arrives. `refuse`: nobody listens. */
  become(state: "working" | "hang" | "refuse"): Promise<void>;
  close(): Promise<void>;
}

/** Also counts the round trip in which a connection is made: on one machine that takes no time. */
export async function openSlowNetwork(to: string, roundTripMs: number): Promise<SlowNetwork> {
  const url = new URL(to);
  const target = { host: url.hostname, port: Number(url.port) };
  const open = new Set<Socket>();
  let isHanging = false;
  const server = createServer((client) => {
    const real = connect(target);
    for (const socket of [client, real]) {
      open.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        real.destroy();
      });
    }
    let made = roundTripMs;
    pass(client, real, () => {
      const wait = made + roundTripMs / 2;
      made = 0;
      return wait;
    });
    pass(real, client, () => roundTripMs / 2);
  });
  /** In order, although timers are not exact. */
  function pass(from: Socket, into: Socket, delay: () => number): void {
    let last = Promise.resolve();
    from.on("data", (chunk: Buffer) => {
      const due = new Promise((resolve) => setTimeout(resolve, delay()));
      last = last.then(async () => {
        await due;
        if (!isHanging && !into.destroyed) into.write(chunk);
      });
    });
    from.on("end", () => void last.then(() => (isHanging ? undefined : into.end())));
  }
  const listen = (port: number) =>
    new Promise<number>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, "127.0.0.1", () => {
        const address = server.address();
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
    });
  const stop = async () => {
    for (const socket of open) socket.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  const port = await listen(0);
  url.port = String(port);
  return {
    address: url.toString(),
    become: async (state) => {
      isHanging = state === "hang";
      if (state === "refuse") await stop();
      else if (!server.listening) await listen(port);
    },
    close: stop,
  };
}
