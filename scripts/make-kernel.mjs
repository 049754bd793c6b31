// Compiles kernel/minilm.as to src/lib/kernel-code.ts. The result is committed, so that tests and builds need no
// compiler; a test recompiles it and compares.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { kernelText } from "./kernel-text.mjs";

writeFileSync(fileURLToPath(new URL("../src/lib/kernel-code.ts", import.meta.url)), await kernelText());
