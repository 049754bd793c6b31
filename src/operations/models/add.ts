import { z } from "zod";
import type { ProviderSettings } from "../../domain/model/endpoint.ts";
import { endpointKinds, findDefaultModel, isLoopbackUrl } from "../../domain/model/endpoint.ts";
import { formatModelRef, type ModelRef, parseModelRef } from "../../domain/model/model-ref.ts";
import { OldhandError } from "../../lib/errors.ts";
import { findNearestName } from "../../lib/nearest.ts";
import { bringBackModel } from "../../models/gateway/note-retired.ts";
import { explainSilent, explainUnusable, listLocalModels } from "../../models/providers/inspect-providers.ts";
import { findMissing, requireModelRef } from "../../models/providers/named-model.ts";
import { addressVariable, findEndpoint } from "../../models/providers/registry.ts";
import { explainNoPrice } from "../../models/prices/explain-no-price.ts";
import { defineOperation } from "../../operation.ts";
import { changeSettings, formatJournalled, journalledShape, notesOfJournal } from "../shared/change-settings.ts";
import { isSameModel, readProvidersNow } from "./shared.ts";

const added = z.object({
  model: z.string().nullable().describe("the added model, as PROVIDER/MODEL"),
  endpoint: z.string().nullable().describe("the added endpoint"),
  isNew: z.boolean().describe("false: it was already there"),
  isBack: z.boolean().describe("it was left out of all routes, and is not any more"),
  why: z.string().nullable().describe("why it cannot be used yet"),
  notes: z
    .array(z.string())
    .describe("what may be wrong with it: its price is unknown, or its server does not have it"),
  ...journalledShape,
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
    force: z.boolean().default(false).describe("add a model that its server does not list"),
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
    const endpoint = input.url === undefined ? null : { name, url: input.url, kind: input.kind, keyEnv: input.keyEnv };
    const settings = endpoint === null ? [] : endpointSettings(endpoint);
    const now = readProvidersNow(config);
    const providers = endpoint === null ? now : withEndpoint(now, endpoint);
    if (endpoint !== null && typed === null) {
      const why = explainUnusable({ provider: name, model: "" }, providers) ?? (await explainSilent(name, providers));
      const journalled = await changeSettings(ctx, "models add", settings);
      const isNew = journalled.changes.length > 0;
      return { model: null, endpoint: name, isNew, isBack: false, why, notes: [], ...journalled };
    }
    if (typed === null) throw await withoutModel(name, providers);
    const ref = requireModelRef(input.name, providers);
    const missing = await findMissing(ref, providers);
    if (missing !== null && !input.force) throw missing;
    const [text, known] = [formatModelRef(ref), providers.models.map(formatModelRef)];
    const isNew = !known.includes(text);
    const use = isNew ? [["models.use", [...known, text]] as const] : [];
    const journalled = await changeSettings(ctx, "models add", [...settings, ...use]);
    const back = await bringBackModel(ctx, text, "models add");
    const why = explainUnusable(ref, providers) ?? (await explainSilent(ref.provider, providers));
    const withProviders = { ...ctx, config: { ...config, providers } };
    const notes = [...(await explainNoPrice(withProviders, ref)), ...(missing === null ? [] : [missing.message])];
    const changes = [...journalled.changes, ...(back === null ? [] : [back])];
    const found = { model: text, endpoint: endpoint && name, isNew, isBack: back !== null, why, notes };
    return { ...found, ...journalled, changes };
  },
  notes: (one) => [...one.notes, ...notesOfJournal(one)],
  render: ({ model, endpoint, isNew, isBack, why, changes }) => {
    const what = model ?? endpoint ?? "";
    const next =
      model === null
        ? `oldhand models list ${what} shows its models; oldhand models add ${what}/MODEL adds one.`
        : `oldhand models test ${what} tries it.`;
    const first = isBack ? `${what} was left out, and is back` : isNew ? `Added ${what}` : `${what} was already there`;
    if (why === null) return `${first}. ${next}${formatJournalled({ changes })}`;
    const isMissing = why.startsWith("needs ");
    const then = isMissing ? "." : `; then ${next}`;
    return `${first}. It cannot be used yet: ${isMissing ? "it " : ""}${why}${then}${formatJournalled({ changes })}`;
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
  output: z.object({
    removed: z.string(),
    models: z.array(z.string()).describe("the models that were removed"),
    default: z.string().nullable().describe("the default model from now on, if it is another one"),
    ...journalledShape,
  }),
  isOwnerOnly: () => true,
  run: async (ctx, { name }) => {
    const providers = readProvidersNow(ctx.config);
    const isEndpoint = providers.endpoints.some((one) => one.name === name);
    const isGone = (ref: ModelRef) => (isEndpoint ? ref.provider === name : formatModelRef(ref) === name);
    const left = providers.models.filter((ref) => !isGone(ref));
    const wasDefault = providers.defaultModel !== null && isGone(providers.defaultModel);
    if (!isEndpoint && !wasDefault && left.length === providers.models.length) throw notAmong(name, providers);
    const journalled = await changeSettings(ctx, "models remove", [
      ...(isEndpoint ? ENDPOINT_FIELDS.map((field) => [`models.endpoints.${name}.${field}`, undefined] as const) : []),
      ["models.use", left.length === 0 ? undefined : left.map(formatModelRef)],
      ...(wasDefault ? [["models.default", undefined] as const] : []),
    ]);
    const before = findDefaultModel(providers);
    const after = findDefaultModel({
      ...providers,
      models: left,
      defaultModel: wasDefault ? null : providers.defaultModel,
    });
    return {
      removed: name,
      models: providers.models.filter(isGone).map(formatModelRef),
      default: after === null || isSameModel(after, before) ? null : formatModelRef(after),
      ...journalled,
    };
  },
  notes: notesOfJournal,
  render: ({ removed, models, default: now, changes }) => {
    const others = models.filter((model) => model !== removed);
    const also = others.length === 0 ? "" : ` with ${others.join(", ")}`;
    const next = now === null ? "" : ` The default model is now ${now}.`;
    return `Removed ${removed}${also}.${next}${formatJournalled({ changes })}`;
  },
});

/** The name of an endpoint, or a new name, came where a model was expected. */
async function withoutModel(name: string, providers: ProviderSettings): Promise<OldhandError> {
  if (findEndpoint(name, providers) !== null) {
    const what = providers.endpoints.some((one) => one.name === name) ? "an endpoint" : "a provider";
    const [model = "MODEL"] = (await listLocalModels(name, providers)) ?? [];
    return new OldhandError("usage", `${name} is ${what}, not a model`, {
      hint: `oldhand models add ${name}/${model} adds a model; oldhand models list ${name} shows its models`,
    });
  }
  return new OldhandError("usage", `"${name}" is not a model`, {
    hint: `write PROVIDER/MODEL, such as anthropic/claude-sonnet-4-5; oldhand models add ${name} --url URL adds an endpoint of your own`,
  });
}

function notAmong(name: string, { models, defaultModel, endpoints }: ProviderSettings): OldhandError {
  const refs = defaultModel === null ? models : [...models, defaultModel];
  const near = findNearestName(name, [...refs.map(formatModelRef), ...endpoints.map((one) => one.name)]);
  return new OldhandError("not-found", `"${name}" is not among your models`, {
    hint: `${near === null ? "" : `did you mean ${near}? `}oldhand models shows them`,
  });
}

const ENDPOINT_FIELDS = ["url", "kind", "keyEnv"] as const;

export const modelAddOperations = [add, remove] as const;

interface NewEndpoint {
  readonly name: string;
  readonly url: string;
  readonly kind: (typeof endpointKinds)[number] | undefined;
  readonly keyEnv: string | undefined;
}

/** Throws if the endpoint cannot be used. */
function endpointSettings({
  name,
  url,
  kind,
  keyEnv,
}: NewEndpoint): readonly (readonly [path: string, value: unknown])[] {
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
  if (keyEnv !== undefined && !/^[A-Za-z_]\w*$/.test(keyEnv))
    throw new OldhandError("usage", "--key-env takes the name of an environment variable, never the key itself", {
      hint: `oldhand models add ${name} --url URL --key-env ${name.toUpperCase().replaceAll("-", "_")}_API_KEY`,
    });
  return [
    [`models.endpoints.${name}.url`, url.replace(/\/+$/, "")],
    [`models.endpoints.${name}.kind`, kind],
    [`models.endpoints.${name}.keyEnv`, keyEnv],
  ];
}

/** The settings as they are with the new endpoint. */
function withEndpoint(settings: ProviderSettings, { name, url, kind, keyEnv }: NewEndpoint): ProviderSettings {
  const endpoint = {
    name,
    kind: kind ?? "openai-compatible",
    url: url.replace(/\/+$/, ""),
    keyEnv: keyEnv === undefined ? [] : [keyEnv],
    isLoopback: isLoopbackUrl(url),
  };
  return { ...settings, endpoints: [...settings.endpoints.filter((one) => one.name !== name), endpoint] };
}

function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search } = new URL(text);
  return /^https?:$/.test(protocol) && username + password + search === "";
}
