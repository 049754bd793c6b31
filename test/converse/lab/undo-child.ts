import { openCheckpoints } from "../../../src/converse/undo/checkpoints.ts";
import { openContext } from "../../../src/mind.ts";

/** Takes back turn 1 of a session: HOME DATABASE SESSION. */
const [home = "", database = "", session = ""] = process.argv.slice(2);
const mind = await openContext({ home, database, env: {} });
process.stdout.write("ready\n");
const { kind } = await openCheckpoints(mind, session).undo(1);
process.stdout.write(`${kind}\n`);
await mind.close();
