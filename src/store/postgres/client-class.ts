import type pg from "pg";
import { systemErrorCode } from "../../lib/errors.ts";
import type { PostgresLocation } from "./url.ts";

/** As the driver's types have it. */
type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

/** Connections of a pool: each has the login of its own time, and a refused login is reported. */
export function newClientClass(
  driver: typeof pg,
  where: Pick<PostgresLocation, "connection">,
  onRefused: (error: Error) => void,
): new (config?: pg.ClientConfig) => pg.Client {
  return class extends driver.Client {
    constructor(config: pg.ClientConfig = {}) {
      super({ ...config, connectionString: where.connection });
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: Connected): void;
    override connect(callback?: Connected): Promise<pg.Client> | void {
      if (callback === undefined) return super.connect();
      super.connect((error: Error) => {
        if (isRefused(error)) onRefused(error);
        (callback as (error: Error | null, client: pg.Client) => void)(error, this);
      });
    }
  };
}

/** Class 28 of the server's codes: invalid authorization. */
function isRefused(error: Error | null | undefined): error is Error {
  return systemErrorCode(error).startsWith("28");
}
