import { kernelCode } from "./kernel-code.ts";

/** The part of WebAssembly used here. Node has it, but only the DOM's types declare it. */
interface Wasm {
  readonly Memory: new (pages: { initial: number; maximum: number }) => WasmMemory;
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object, imports: { env: { memory: WasmMemory } }) => { readonly exports: unknown };
}

interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

const { WebAssembly: wasm } = globalThis as unknown as { readonly WebAssembly: Wasm };

/**
 * The compiled kernel (kernel/minilm.as) with one memory. The memory grows and is never freed, so addresses stay
 * valid.
 */
export interface Kernel {
  readonly memory: { readonly buffer: ArrayBuffer };
  /** Allocates bytes, aligned to 64; returns the address. */
  reserve(bytes: number): number;
  /** Copies the bytes into the memory; returns the address. */
  hold(bytes: Uint8Array): number;
  readonly run: KernelFunctions;
}

interface KernelFunctions {
  unpack(packed: number, scales: number, out: number, outScales: number, rows: number, columns: number): void;
  quantise(x: number, out: number, scales: number, rows: number, columns: number): void;
  multiply(
    x: number,
    xScales: number,
    w: number,
    wScales: number,
    bias: number,
    y: number,
    rows: number,
    outputs: number,
    columns: number,
  ): void;
  addAndNormalise(x: number, y: number, gain: number, bias: number, rows: number, columns: number): void;
  gelu(x: number, count: number): void;
  attend(q: number, k: number, v: number, out: number, scratch: number, tokens: number, columns: number): void;
  compare(query: number, rows: number, out: number, count: number, dims: number): void;
}

const PAGE = 65_536;
const MOST_PAGES = 32_768;

export function newKernel(): Kernel {
  const memory = new wasm.Memory({ initial: 16, maximum: MOST_PAGES });
  const module = new wasm.Module(Buffer.from(kernelCode, "base64"));
  const instance = new wasm.Instance(module, { env: { memory } });
  let top = PAGE;
  const reserve = (bytes: number): number => {
    const at = (top + 63) & ~63;
    top = at + bytes;
    const missing = top - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
    return at;
  };
  return {
    memory,
    reserve,
    hold: (bytes) => {
      const at = reserve(bytes.byteLength);
      new Uint8Array(memory.buffer, at, bytes.byteLength).set(bytes);
      return at;
    },
    run: instance.exports as KernelFunctions,
  };
}
