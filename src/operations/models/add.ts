import { z } from "zod";
import { loadConfig, writeSetting } from "../../config.ts";
import { endpointKinds } from "../../domain/model/endpoint.ts";
import { formatModelRef, type ModelRef, parseModelRef } from "../../domain/model/model-ref.ts";
import { OldhandError } from "../../lib/errors.ts";
import { bringBackModel } from "../../models/gateway/note-retired.ts";
import { explainUnusable } from "../../models/providers/inspect-providers.ts";
import { addressVariable } from "../../models/providers/registry.ts";
import { defineOperation } from "../../operation.ts";
import { requireModelRef } from "./shared.ts";

const added = z.object({
  model: z.string().nullable().describe("the added model, as PROVIDER/MODEL"),
  endpoint: z.string().nullable().describe("the added endpoint"),
  isNew: z.boolean().describe("false: it was already there"),
  why: z.string().nullable().describe("why it cannot be used yet"),
});

const add = defineOperation({
  name: "models add",
  summary: "Adds a model that the router may choose (PROVIDER/MODEL), or your own endpoint (NAME --url URL).",
  effect: "write",
  surfaces: ["cli"],
  input: z.object({
    name: z.string().describe("PROVIDER/MODEL, or the name of a new endpoint"),
    url: z.string().optional().describe("base URL of the new endpoint, such as http://127.0.0.1:8000/v1"),
    kind: z.enum(endpointKinds).optional().describe("API of the new endpoint; openai-compatible if omitted"),
    keyEnv: z.string().optional().describe("environment variable that holds the key of the new endpoint"),
  }),
  positional: ["name"],
  output: added,
  isOwnerOnly: () => true,
  run: async (ctx, input) => {
    const { config } = ctx;
    // With --url, NAME adds an endpoint alone, and NAME/MODEL adds it with its first model.
    const typed = parseModelRef(input.name);
    const name = typed?.provider ?? input.name;
    if (input.url === undefined && (input.keyEnv ?? input.kind) !== undefined)
      throw new OldhandError("usage", "--key-env and --kind describe a new endpoint and need --url", {
        hint: `oldhand models add ${name} --url URL --key-env VARIABLE`,
      });
    if (input.url !== undefined)
      addEndpoint(config.home, { name, url: input.url, kind: input.kind, keyEnv: input.keyEnv });
    // Reads the file again, because it now holds the new endpoint. The variables are those of this process.
    const providers = { ...loadConfig({ home: config.home, env: {} }).providers, env: config.providers.env };
    if (input.url !== undefined && typed === null) {
      const why = explainUnusable({ provider: name, model: "" }, providers);
      return { model: null, endpoint: name, isNew: true, why };
    }
    const ref = requireModelRef(input.name, providers);
    const isNew = addModel(config.home, providers.models, ref);
    await bringBackModel(ctx, formatModelRef(ref), "models add");
    return {
      model: formatModelRef(ref),
      endpoint: input.url === undefined ? null : name,
      isNew,
      why: explainUnusable(ref, providers),
    };
  },
  render: ({ model, endpoint, isNew, why }) => {
    const what = model ?? endpoint ?? "";
    const next =
      model === null
        ? `oldhand models list shows its models; oldhand models add ${what}/MODEL adds one.`
        : `oldhand models test ${what} tries it.`;
    return `${isNew ? `Added ${what}` : `${what} was already there`}. ${why === null ? next : `It cannot be used yet: it ${why}.`}`;
  },
});

const remove = defineOperation({
  name: "models remove",
  summary: "Removes a model (PROVIDER/MODEL), or your own endpoint (NAME) with its models, from the settings.",
  effect: "write",
  surfaces: ["cli"],
  needs: "config",
  input: z.object({ name: z.string().describe("PROVIDER/MODEL, or the name of an endpoint") }),
  positional: ["name"],
  output: z.object({ removed: z.string() }),
  isOwnerOnly: () => true,
  run: async ({ config }, { name }) => {
    const { home, providers } = config;
    const isEndpoint = providers.endpoints.some((one) => one.name === name);
    const isGone = (ref: ModelRef) => (isEndpoint ? ref.provider === name : formatModelRef(ref) === name);
    const left = providers.models.filter((ref) => !isGone(ref)).map(formatModelRef);
    const wasDefault = providers.defaultModel !== null && isGone(providers.defaultModel);
    if (!isEndpoint && !wasDefault && left.length === providers.models.length)
      throw new OldhandError("not-found", `"${name}" is not among your models`, {
        hint: "oldhand models shows them",
      });
    if (isEndpoint)
      for (const field of ["url", "kind", "keyEnv"]) writeSetting(home, `models.endpoints.${name}.${field}`, undefined);
    writeModels(home, left);
    if (wasDefault) writeSetting(home, "models.default", undefined);
    return { removed: name };
  },
  render: ({ removed }) => `Removed ${removed}.`,
});

export const modelAddOperations = [add, remove] as const;

interface NewEndpoint {
  readonly name: string;
  readonly url: string;
  readonly kind: string | undefined;
  readonly keyEnv: string | undefined;
}

function addEndpoint(home: string, { name, url, kind, keyEnv }: NewEndpoint): void {
  const variable = addressVariable(name);
  if (variable !== null)
    throw new OldhandError("usage", `${name} is a provider that oldhand knows; ${variable} changes its address`, {
      hint: `export ${variable}=${isPlainAddress(url) ? url : "URL"}; or give the endpoint another name: oldhand models add my-${name} --url URL`,
    });
  if (!/^[a-z0-9][\w-]*$/i.test(name))
    throw new OldhandError("usage", "the name of an endpoint may have only letters, digits, - and _", {
      hint: "oldhand models add workshop --url http://127.0.0.1:8000/v1",
    });
  if (!isPlainAddress(url))
    throw new OldhandError("usage", "the URL must be http or https, without a user, a password or a query", {
      hint: "put the key into an environment variable, and give its name with --key-env",
    });
  // Checked before the first write, so that no incomplete endpoint is stored.
  if (keyEnv !== undefined && !/^[A-Za-z_]\w*$/.test(keyEnv))
    throw new OldhandError("usage", "--key-env takes the name of an environment variable, never the key itself", {
      hint: `oldhand models add ${name} --url URL --key-env ${name.toUpperCase().replaceAll("-", "_")}_API_KEY`,
    });
  writeSetting(home, `models.endpoints.${name}.url`, url.replace(/\/+$/, ""));
  writeSetting(home, `models.endpoints.${name}.kind`, kind);
  writeSetting(home, `models.endpoints.${name}.keyEnv`, keyEnv);
}

function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search } = new URL(text);
  return /^https?:$/.test(protocol) && username + password + search === "";
}

/** False if it was there before. */
function addModel(home: string, models: readonly ModelRef[], ref: ModelRef): boolean {
  const text = formatModelRef(ref);
  const known = models.map(formatModelRef);
  if (known.includes(text)) return false;
  writeModels(home, [...known, text]);
  return true;
}

function writeModels(home: string, models: readonly string[]): void {
  writeSetting(home, "models.use", models.length === 0 ? undefined : models);
}
