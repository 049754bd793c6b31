import { OldhandError } from "../../lib/errors.ts";

export function newerSchemaError(place: string, found: number, known: number): OldhandError {
  return new OldhandError(
    "store-newer",
    `the mind at ${place} was written by a newer oldhand (schema ${found}; this version knows ${known}); nothing was changed`,
    { hint: "update the oldhand that you ran; oldhand --version shows its version" },
  );
}

/** Our tables have plain names, so they must never be created in another program's database. */
export function foreignTablesError(place: string, names: readonly string[], hint: string): OldhandError {
  const some = names.length > 8 ? `${names.slice(0, 8).join(", ")}, …` : names.join(", ");
  return new OldhandError(
    "config",
    `the database at ${place} has tables of another program: ${some}; nothing was changed`,
    {
      hint,
    },
  );
}
