import { hook } from "./main.ts";

void hook(process.argv.slice(3)).then(leave);

/** Without Node's tidying up, which would also close the database and thereby cost more than all the work. */
function leave(): void {
  const { reallyExit } = process as unknown as { reallyExit?: (code: number) => never };
  if (reallyExit) reallyExit.call(process, 0);
  else process.exit(0);
}
