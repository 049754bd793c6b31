// kernel/minilm.as → src/lib/kernel-code.ts. Committed, so that neither tests nor builds wait for a compiler;
// a test compiles it again and compares.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { kernelText } from "./kernel-text.mjs";

writeFileSync(fileURLToPath(new URL("../src/lib/kernel-code.ts", import.meta.url)), await kernelText());
