// Run by `npm install` in a checkout. The published package contains the packed file and does not run this.
import { fileURLToPath } from "node:url";
import { fetchMinilm, packedPlaces } from "./pack-minilm.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
await fetchMinilm(packedPlaces(root), (line) => void process.stderr.write(`${line}\n`));
