import type { Db } from "../engine/db.ts";

const stopped = new Error("rolled back on purpose");

/** Writes a row, changes it, reads it back and rolls all of it back. Throws if the role may not. */
export async function tryWriting(db: Db): Promise<void> {
  const key = "tried writing";
  await db
    .tx(async (tx) => {
      await tx.run("insert into meta (key, value) values (?, ?)", [key, "1"]);
      await tx.run("update meta set value = ? where key = ?", ["2", key]);
      const read = await tx.get<{ value: string }>("select value from meta where key = ?", [key]);
      if (read?.value !== "2") throw new Error("a row that was written cannot be read");
      await tx.run("delete from meta where key = ?", [key]);
      throw stopped;
    })
    .catch((error: unknown) => {
      if (error !== stopped) throw error;
    });
}
