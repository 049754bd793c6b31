// Run by `npm install` in a checkout (never for who installs the package: it has the packed file).
import { fileURLToPath } from "node:url";
import { fetchMinilm, packedPlaces } from "./pack-minilm.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
await fetchMinilm(packedPlaces(root), (line) => void process.stderr.write(`${line}\n`));
