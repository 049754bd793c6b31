import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { redact } from "../src/domain/redact/redact.ts";
import { unzip } from "./data.ts";
import innocentLines from "./innocent-lines.json" with { type: "json" };
import { makeRandom } from "../src/lib/random.ts";
import { FORMS } from "./redaction-forms.ts";
import { FORMS_APART } from "./redaction-forms-apart.ts";
import { KNOWN_FORMATS } from "./redaction-formats.ts";
import { measureRealText, readRealText, type RealTextReport } from "./redaction-real-text.ts";
import { type SecretPlacement, SHAPES } from "./redaction-shapes.ts";

interface Sample {
  readonly source: string;
  readonly rule: string;
  readonly text: string;
  readonly secrets: readonly string[];
}

/** A text with a secret, its form and its shape. */
export interface FormSample {
  readonly form: string;
  readonly shape: string;
  readonly text: string;
  readonly secret: string;
}

/** A text without a secret. */
export interface InnocentSample {
  readonly kind: string;
  readonly text: string;
}

interface Found {
  readonly total: number;
  readonly caught: number;
  readonly rate: number;
}

interface Altered {
  readonly total: number;
  readonly altered: number;
  readonly rate: number;
  readonly wrong: readonly string[];
}

export interface FormsReport extends Found {
  readonly byForm: Readonly<Record<string, string>>;
  readonly byShape: Readonly<Record<string, string>>;
  readonly missed: readonly string[];
}

export interface RedactionReport {
  readonly dev?: {
    readonly positives: Found & { readonly halves: readonly [Found, Found]; readonly missed: readonly string[] };
    /** Some altered texts are also listed as secrets in the same data: they are negatives of one rule, not of all. */
    readonly negatives: Altered & { readonly alsoPositive: number };
  };
  readonly forms: FormsReport;
  readonly further?: { readonly forms?: FormsReport; readonly innocent?: InnocentReport };
  readonly innocent: InnocentReport;
  /** Separate figures for the half that the rules were tuned on, and for the other half. */
  readonly realText?: { readonly tuned: RealTextReport; readonly other: RealTextReport };
  readonly throughput?: {
    readonly megabytes: number;
    readonly megabytesPerSecond: number;
    /** By CPU time: valid on a busy machine too. */
    readonly megabytesPerSecondOfCpu: number;
    readonly bestOf: number;
  };
}

export interface InnocentReport extends Altered {
  readonly byKind: Readonly<Record<string, string>>;
}

/** Measures recall on known secrets and on forms, false alarms on look-alikes and real work, and speed. */
export function measureRedaction(folder: string, furtherFile?: string): RedactionReport {
  const own = Object.entries(innocentLines).flatMap(([kind, lines]) => lines.map((text) => ({ kind, text })));
  const report = {
    forms: measureForms(makeFormSamples(7)),
    innocent: measureInnocent(own),
    ...(furtherFile === undefined ? {} : { further: measureFurther(furtherFile) }),
  };
  if (!existsSync(join(folder, "secrets_dev.json.gz"))) return report;
  const pieces = readRealText(folder);
  return {
    dev: measureDev(folder),
    ...report,
    realText: {
      tuned: measureRealText(
        pieces.filter((_, at) => at % 2 === 0),
        SAMPLES,
      ),
      other: measureRealText(
        pieces.filter((_, at) => at % 2 === 1),
        SAMPLES,
      ),
    },
    throughput: measureSpeed(pieces.map(({ value }) => JSON.stringify(value)).join("\n")),
  };
}

const SAMPLES = 25;
const PER_CELL = 6;

/** Every form combined with every shape that fits, plus the formats that need no form. */
export function makeFormSamples(seed: number): readonly FormSample[] {
  const random = makeRandom(seed);
  const cells = [...FORMS, ...FORMS_APART].flatMap((form) =>
    SHAPES.filter((shape) => FITS[form.holds].includes(shape.fit) && (form.ambiguous !== true || shape.opaque)).map(
      (shape) => ({ form, shape }),
    ),
  );
  const formed = cells.flatMap(({ form, shape }) =>
    Array.from({ length: PER_CELL }, () => {
      const secret = shape.make(random);
      return { form: form.group, shape: shape.name, text: form.text.replaceAll("@@", () => secret), secret };
    }),
  );
  const known = KNOWN_FORMATS.flatMap(({ name, make }) =>
    Array.from({ length: PER_CELL }, () => ({ form: "known format", shape: name, ...make(random) })),
  );
  return [...formed, ...known];
}

const FITS: Readonly<Record<SecretPlacement, readonly SecretPlacement[]>> = {
  quoted: ["quoted", "bare", "address"],
  bare: ["bare", "address"],
  address: ["address"],
};

function measureForms(samples: readonly FormSample[]): FormsReport {
  const judged = samples.map((sample) => ({ ...sample, caught: !redact(sample.text).includes(sample.secret) }));
  const missed = judged.filter(({ caught }) => !caught);
  return {
    ...countCaught(judged),
    byForm: shares(judged, ({ form }) => form),
    byShape: shares(judged, ({ shape }) => shape),
    // Values are generated for the run, so they may be shown.
    missed: [...new Map(missed.map((one) => [`${one.form} ${one.shape} ${one.text.length >> 5}`, one])).values()]
      .slice(0, 60)
      .map(({ form, shape, text }) => `${form}, ${shape}: ${oneLine(text, 100)}`),
  };
}

function measureInnocent(samples: readonly InnocentSample[]): InnocentReport {
  const judged = samples.map((sample) => ({ ...sample, caught: redact(sample.text) !== sample.text }));
  return {
    ...countAltered(judged, ({ kind, text }) => `${kind}: ${oneLine(redact(text), 120)}`),
    byKind: shares(judged, ({ kind }) => kind),
  };
}

/** Measures forms and innocent lines from a file not used for tuning: a JSON list or JSON lines, plain or gzipped. */
function measureFurther(file: string): NonNullable<RedactionReport["further"]> {
  const bytes = readFileSync(file);
  const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString("utf8").trim();
  const entries = (
    text.startsWith("[") ? JSON.parse(text) : text.split("\n").map((line) => JSON.parse(line) as unknown)
  ) as readonly (FormSample | InnocentSample)[];
  const forms = entries.filter((entry) => "secret" in entry);
  const innocent = entries.filter((entry) => "kind" in entry);
  return {
    ...(forms.length === 0 ? {} : { forms: measureForms(forms) }),
    ...(innocent.length === 0 ? {} : { innocent: measureInnocent(innocent) }),
  };
}

function measureDev(folder: string): NonNullable<RedactionReport["dev"]> {
  const { pos, neg } = JSON.parse(unzip(join(folder, "secrets_dev.json.gz"))) as {
    readonly pos: readonly Sample[];
    readonly neg: readonly Sample[];
  };
  const judged = pos.map((sample) => ({ ...sample, caught: isCaught(sample) }));
  const secrets = new Set(pos.map(({ text }) => text));
  const lookAlikes = neg.map((sample) => ({ ...sample, caught: redact(sample.text) !== sample.text }));
  return {
    positives: {
      ...countCaught(judged),
      halves: [
        countCaught(judged.filter((_, at) => at % 2 === 0)),
        countCaught(judged.filter((_, at) => at % 2 === 1)),
      ],
      missed: judged.filter(({ caught }) => !caught).map(describe),
    },
    negatives: {
      ...countAltered(lookAlikes, describe),
      alsoPositive: lookAlikes.filter(({ caught, text }) => caught && secrets.has(text)).length,
    },
  };
}

function isCaught({ text, secrets }: Sample): boolean {
  const clean = redact(text);
  return secrets.length === 0 ? clean !== text : secrets.every((secret) => !clean.includes(secret));
}

function measureSpeed(raw: string): NonNullable<RedactionReport["throughput"]> {
  const megabytes = Buffer.byteLength(raw) / 1e6;
  const bestOf = 3;
  const runs = Array.from({ length: bestOf }, () => {
    const before = performance.now();
    const spent = process.cpuUsage();
    redact(raw);
    const { user, system } = process.cpuUsage(spent);
    return { wall: (performance.now() - before) / 1000, cpu: (user + system) / 1e6 };
  });
  const rounded = (value: number) => Math.round(value * 10) / 10;
  const speed = (by: "wall" | "cpu") => rounded(megabytes / Math.min(...runs.map((run) => run[by])));
  return {
    megabytes: rounded(megabytes),
    megabytesPerSecond: speed("wall"),
    megabytesPerSecondOfCpu: speed("cpu"),
    bestOf,
  };
}

interface Judged {
  readonly caught: boolean;
}

function countCaught(judged: readonly Judged[]): Found {
  const caught = judged.filter((one) => one.caught).length;
  return { total: judged.length, caught, rate: share(caught, judged.length) };
}

function countAltered<T extends Judged>(judged: readonly T[], say: (one: T) => string): Altered {
  const { total, caught, rate } = countCaught(judged);
  return { total, altered: caught, rate, wrong: judged.filter((one) => one.caught).map(say) };
}

function shares<T extends Judged>(judged: readonly T[], by: (one: T) => string): Readonly<Record<string, string>> {
  const names = [...new Set(judged.map(by))];
  return Object.fromEntries(
    names.map((name) => {
      const { caught, total, rate } = countCaught(judged.filter((one) => by(one) === name));
      return [name, `${caught}/${total} = ${(rate * 100).toFixed(1)} %`];
    }),
  );
}

// Only the beginning: a report must not contain whole secrets.
const describe = ({ source, rule, text }: Sample) => `${source}/${rule}: ${oneLine(text, 60)}`;
const oneLine = (text: string, most: number) => text.replaceAll(/\s+/g, " ").slice(0, most);
const share = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000);
