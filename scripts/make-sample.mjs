// Writes samples/sessions.jsonl: made-up sessions with mistakes that agents really repeat.
import { writeFileSync } from "node:fs";

const start = Date.parse("2026-01-05T09:00:00Z");
const lines = [];

for (let day = 0; day < 6; day++) {
  const session = `sample-${String(day + 1).padStart(2, "0")}`;
  const cwd = day % 2 === 0 ? "/home/ada/shop" : "/home/ada/shop/web";
  let seq = 0;
  let at = start + day * 86_400_000;
  const call = (tool, input, error = null, out = "") => {
    at += 20_000 + ((seq * 7_919) % 40_000);
    lines.push({
      session,
      seq: seq++,
      project: "ada/shop",
      agent: day % 3 === 2 ? "codex" : "claude-code",
      ts: new Date(at).toISOString(),
      cwd,
      model: "sample",
      sub: false,
      tool,
      input,
      ok: error === null,
      error_text: error,
      out_head: error === null ? out : null,
      out_len: out.length,
    });
  };
  const bash = (command, error, out) => call("Bash", { command }, error, out);

  bash("git status", null, "On branch main\nnothing to commit");
  call("Read", { file_path: `${cwd}/package.json` }, null, '{ "name": "shop" }');
  bash(
    "npm test",
    'Exit code 1\nnpm error This project is configured to use pnpm because package.json has a "packageManager" field',
  );
  bash("pnpm test", null, "Tests: 41 passed");
  call(
    "Edit",
    { file_path: `${cwd}/src/cart.ts`, old_string: "total", new_string: "sum" },
    "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>",
  );
  call("Read", { file_path: `${cwd}/src/cart.ts` }, null, "export const total = 0;");
  call("Edit", { file_path: `${cwd}/src/cart.ts`, old_string: "total", new_string: "sum" });
  bash("rg 'discount' src", "Exit code 1");
  if (day !== 3) {
    bash(
      "docker compose up -d db",
      `Exit code 1\nCannot connect to the Docker daemon at unix:///var/run/docker-${day}.sock. Is the docker daemon running?`,
    );
    bash("podman compose up -d db", null, "db started");
  }
  bash(
    "git push origin main",
    `Exit code 1\nTo github.com:ada/shop.git\n ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to 'github.com:ada/shop.git'`,
  );
  bash("git pull --rebase origin main && git push origin main", null, "Successfully rebased");
  if (day === 1)
    call(
      "Bash",
      { command: "rm -rf dist" },
      "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nuse `pnpm clean` instead",
    );
}

writeFileSync(
  new URL("../samples/sessions.jsonl", import.meta.url),
  lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
);
