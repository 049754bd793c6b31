import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

/** The compiled kernel as the source of a module that contains its bytes. */
export async function kernelText() {
  let bytes = null;
  const { error, stderr } = await asc.main(
    ["minilm.ts", "-o", "minilm.wasm", "-O3", "--runtime", "stub", "--noAssert", "--importMemory", "--enable", "simd"],
    {
      readFile: (name) => (name === "minilm.ts" ? readFileSync(source, "utf8") : null),
      writeFile: (_name, contents) => {
        bytes = contents;
      },
      listFiles: () => [],
    },
  );
  if (error) throw new Error(`the kernel does not compile: ${stderr.toString()}`, { cause: error });
  const lines = Buffer.from(bytes)
    .toString("base64")
    .match(/.{1,120}/g);
  return `// Made by scripts/make-kernel.mjs from kernel/minilm.as; a test compiles it again and compares.
export const kernelCode = [
${lines.map((line) => `  "${line}",`).join("\n")}
].join("");
`;
}

const source = fileURLToPath(new URL("../kernel/minilm.as", import.meta.url));
