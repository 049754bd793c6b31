// The arithmetic of the embedder and of the vector scan, in AssemblyScript, compiled by scripts/make-kernel.mjs.
// Addresses are byte offsets into one memory; the caller keeps the areas apart, and pads rows where a loop reads four
// values at a time.

// @ts-ignore: decorator
@inline function sumFloats(v: v128): f32 {
  return f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3);
}

// @ts-ignore: decorator
@inline function sumInts(v: v128): i32 {
  return i32x4.extract_lane(v, 0) + i32x4.extract_lane(v, 1) + i32x4.extract_lane(v, 2) + i32x4.extract_lane(v, 3);
}

/** e^x of four values, exact to about seven digits: a power of two times a polynomial of the rest. */
// @ts-ignore: decorator
@inline function exp4(x: v128): v128 {
  const bounded = f32x4.max(f32x4.min(x, f32x4.splat(88.0)), f32x4.splat(-87.0));
  const whole = f32x4.floor(f32x4.add(f32x4.mul(bounded, f32x4.splat(1.44269504)), f32x4.splat(0.5)));
  let rest = f32x4.sub(bounded, f32x4.mul(whole, f32x4.splat(0.693359375)));
  rest = f32x4.sub(rest, f32x4.mul(whole, f32x4.splat(-2.12194440e-4)));
  let y = f32x4.splat(1.9875691500e-4);
  y = f32x4.add(f32x4.mul(y, rest), f32x4.splat(1.3981999507e-3));
  y = f32x4.add(f32x4.mul(y, rest), f32x4.splat(8.3334519073e-3));
  y = f32x4.add(f32x4.mul(y, rest), f32x4.splat(4.1665795894e-2));
  y = f32x4.add(f32x4.mul(y, rest), f32x4.splat(1.6666665459e-1));
  y = f32x4.add(f32x4.mul(y, rest), f32x4.splat(5.0000001201e-1));
  y = f32x4.add(f32x4.add(f32x4.mul(y, f32x4.mul(rest, rest)), rest), f32x4.splat(1.0));
  const power = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(whole), i32x4.splat(127)), 23);
  return f32x4.mul(y, power);
}

/** Converts four-bit weights (blocks of 32 with a scale, zero is 8) to 16-bit rows with one scale each. */
export function unpack(packed: usize, scales: usize, out: usize, outScales: usize, rows: i32, columns: i32): void {
  const blocks = columns >> 5;
  for (let row = 0; row < rows; row++) {
    let most: f32 = 0;
    for (let block = 0; block < blocks; block++) {
      const scale = abs(load<f32>(scales + ((<usize>row * blocks + block) << 2)));
      const from = packed + (<usize>row * blocks + block) * 16;
      for (let i: usize = 0; i < 16; i++) {
        const two = <i32>load<u8>(from + i);
        const a = <f32>abs((two & 15) - 8) * scale;
        const b = <f32>abs((two >> 4) - 8) * scale;
        most = max(most, max(a, b));
      }
    }
    const unit: f32 = most == 0 ? 1 : most / 2047;
    store<f32>(outScales + (<usize>row << 2), unit);
    for (let block = 0; block < blocks; block++) {
      const scale = load<f32>(scales + ((<usize>row * blocks + block) << 2)) / unit;
      const from = packed + (<usize>row * blocks + block) * 16;
      const to = out + ((<usize>row * columns + (block << 5)) << 1);
      for (let i: usize = 0; i < 16; i++) {
        const two = <i32>load<u8>(from + i);
        store<i16>(to + (i << 2), <i16>nearest(<f32>((two & 15) - 8) * scale));
        store<i16>(to + (i << 2), <i16>nearest(<f32>((two >> 4) - 8) * scale), 2);
      }
    }
  }
}

/** Converts each row of floats to 16-bit numbers with a scale. */
export function quantise(x: usize, out: usize, scales: usize, rows: i32, columns: i32): void {
  for (let row = 0; row < rows; row++) {
    const from = x + ((<usize>row * columns) << 2);
    let most4 = f32x4.splat(1e-9);
    for (let k: usize = 0; k < <usize>columns << 2; k += 16) most4 = f32x4.max(most4, f32x4.abs(v128.load(from + k)));
    const most = max(
      max(f32x4.extract_lane(most4, 0), f32x4.extract_lane(most4, 1)),
      max(f32x4.extract_lane(most4, 2), f32x4.extract_lane(most4, 3)),
    );
    store<f32>(scales + (<usize>row << 2), most / 2047);
    const factor = f32x4.splat(2047 / most);
    const to = out + ((<usize>row * columns) << 1);
    for (let k: usize = 0; k < <usize>columns << 2; k += 32) {
      const a = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(from + k), factor)));
      const b = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(from + k, 16), factor)));
      v128.store(to + (k >> 1), i16x8.narrow_i32x4_s(a, b));
    }
  }
}

/** y = x · wᵀ + bias. The sums cannot overflow: 2047² × 1536 / 4 is below 2³¹. */
export function multiply(
  x: usize, xScales: usize, w: usize, wScales: usize, bias: usize, y: usize, rows: i32, outputs: i32, columns: i32,
): void {
  const bytes: usize = <usize>columns << 1;
  for (let n: i32 = 0; n < outputs; n += 4) {
    const w0 = w + <usize>n * bytes;
    const w1 = w0 + bytes;
    const w2 = w1 + bytes;
    const w3 = w2 + bytes;
    const unit = v128.load(wScales + (<usize>n << 2));
    const add = v128.load(bias + (<usize>n << 2));
    for (let t: i32 = 0; t < rows; t += 2) {
      const two = t + 1 < rows;
      const x0 = x + <usize>t * bytes;
      const x1 = two ? x0 + bytes : x0;
      let a00 = i32x4.splat(0);
      let a01 = a00, a02 = a00, a03 = a00, a10 = a00, a11 = a00, a12 = a00, a13 = a00;
      for (let k: usize = 0; k < bytes; k += 16) {
        const p = v128.load(x0 + k);
        const q = v128.load(x1 + k);
        let z = v128.load(w0 + k);
        a00 = i32x4.add(a00, i32x4.dot_i16x8_s(p, z));
        a10 = i32x4.add(a10, i32x4.dot_i16x8_s(q, z));
        z = v128.load(w1 + k);
        a01 = i32x4.add(a01, i32x4.dot_i16x8_s(p, z));
        a11 = i32x4.add(a11, i32x4.dot_i16x8_s(q, z));
        z = v128.load(w2 + k);
        a02 = i32x4.add(a02, i32x4.dot_i16x8_s(p, z));
        a12 = i32x4.add(a12, i32x4.dot_i16x8_s(q, z));
        z = v128.load(w3 + k);
        a03 = i32x4.add(a03, i32x4.dot_i16x8_s(p, z));
        a13 = i32x4.add(a13, i32x4.dot_i16x8_s(q, z));
      }
      const to = y + ((<usize>t * outputs + n) << 2);
      const first = f32x4.convert_i32x4_s(i32x4(sumInts(a00), sumInts(a01), sumInts(a02), sumInts(a03)));
      v128.store(to, f32x4.add(f32x4.mul(f32x4.mul(first, unit), f32x4.splat(load<f32>(xScales + (<usize>t << 2)))), add));
      if (!two) continue;
      const second = f32x4.convert_i32x4_s(i32x4(sumInts(a10), sumInts(a11), sumInts(a12), sumInts(a13)));
      v128.store(
        to + (<usize>outputs << 2),
        f32x4.add(f32x4.mul(f32x4.mul(second, unit), f32x4.splat(load<f32>(xScales + (<usize>t << 2), 4))), add),
      );
    }
  }
}

/** x = normalise(x + y) for each row, with gain and bias. */
export function addAndNormalise(x: usize, y: usize, gain: usize, bias: usize, rows: i32, columns: i32): void {
  const bytes: usize = <usize>columns << 2;
  for (let row = 0; row < rows; row++) {
    const at = x + <usize>row * bytes;
    const other = y + <usize>row * bytes;
    let sum = f32x4.splat(0);
    for (let k: usize = 0; k < bytes; k += 16) {
      const v = f32x4.add(v128.load(at + k), v128.load(other + k));
      v128.store(at + k, v);
      sum = f32x4.add(sum, v);
    }
    const mean = f32x4.splat(sumFloats(sum) / <f32>columns);
    let square = f32x4.splat(0);
    for (let k: usize = 0; k < bytes; k += 16) {
      const v = f32x4.sub(v128.load(at + k), mean);
      square = f32x4.add(square, f32x4.mul(v, v));
    }
    const factor = f32x4.splat(1 / sqrt<f32>(sumFloats(square) / <f32>columns + 1e-12));
    for (let k: usize = 0; k < bytes; k += 16) {
      const v = f32x4.mul(f32x4.sub(v128.load(at + k), mean), factor);
      v128.store(at + k, f32x4.add(f32x4.mul(v, v128.load(gain + k)), v128.load(bias + k)));
    }
  }
}

/** Gaussian error linear unit, with the common approximation of erf (error 1.5e-7). `count` is a multiple of four. */
export function gelu(x: usize, count: i32): void {
  const one = f32x4.splat(1);
  for (let i: usize = 0; i < <usize>count << 2; i += 16) {
    const z = v128.load(x + i);
    const a = f32x4.mul(f32x4.abs(z), f32x4.splat(0.7071067811865476));
    const t = f32x4.div(one, f32x4.add(one, f32x4.mul(a, f32x4.splat(0.3275911))));
    let p = f32x4.splat(1.061405429);
    p = f32x4.add(f32x4.mul(p, t), f32x4.splat(-1.453152027));
    p = f32x4.add(f32x4.mul(p, t), f32x4.splat(1.421413741));
    p = f32x4.add(f32x4.mul(p, t), f32x4.splat(-0.284496736));
    p = f32x4.add(f32x4.mul(p, t), f32x4.splat(0.254829592));
    const e = f32x4.sub(one, f32x4.mul(f32x4.mul(p, t), exp4(f32x4.neg(f32x4.mul(a, a)))));
    const signed = v128.or(e, v128.and(z, i32x4.splat(0x80000000)));
    v128.store(x + i, f32x4.mul(f32x4.mul(z, f32x4.splat(0.5)), f32x4.add(one, signed)));
  }
}

/** Attention with heads of 32 dimensions. `scratch` has 33 rows, each of `tokens` rounded up to a multiple of four. */
export function attend(q: usize, k: usize, v: usize, out: usize, scratch: usize, tokens: i32, columns: i32): void {
  const padded: i32 = (tokens + 3) & ~3;
  const line: usize = <usize>padded << 2;
  const row: usize = <usize>columns << 2;
  const scores = scratch + line * 32;
  const unit = f32x4.splat(0.17677669529663687);
  for (let head: usize = 0; head < row; head += 128) {
    for (let j: usize = 0; j < <usize>padded; j++)
      for (let d: usize = 0; d < 32; d++)
        store<f32>(scratch + d * line + (j << 2), j < <usize>tokens ? load<f32>(k + j * row + head + (d << 2)) : 0);
    for (let i: usize = 0; i < <usize>tokens; i++) {
      const asked = q + i * row + head;
      let most4 = f32x4.splat(-1e30);
      for (let j: usize = 0; j < line; j += 16) {
        let sum = f32x4.splat(0);
        for (let d: usize = 0; d < 32; d++)
          sum = f32x4.add(sum, f32x4.mul(v128.load32_splat(asked + (d << 2)), v128.load(scratch + d * line + j)));
        sum = f32x4.mul(sum, unit);
        v128.store(scores + j, sum);
        most4 = f32x4.max(most4, sum);
      }
      // The padding's score is 0: it may raise the maximum, which cancels out; the sum below leaves it out.
      const most = f32x4.splat(max(
        max(f32x4.extract_lane(most4, 0), f32x4.extract_lane(most4, 1)),
        max(f32x4.extract_lane(most4, 2), f32x4.extract_lane(most4, 3)),
      ));
      for (let j: usize = 0; j < line; j += 16) v128.store(scores + j, exp4(f32x4.sub(v128.load(scores + j), most)));
      let total: f32 = 0;
      let c0 = f32x4.splat(0);
      let c1 = c0, c2 = c0, c3 = c0, c4 = c0, c5 = c0, c6 = c0, c7 = c0;
      for (let j: usize = 0; j < <usize>tokens; j++) {
        const share = load<f32>(scores + (j << 2));
        total += share;
        const s = f32x4.splat(share);
        const value = v + j * row + head;
        c0 = f32x4.add(c0, f32x4.mul(s, v128.load(value)));
        c1 = f32x4.add(c1, f32x4.mul(s, v128.load(value, 16)));
        c2 = f32x4.add(c2, f32x4.mul(s, v128.load(value, 32)));
        c3 = f32x4.add(c3, f32x4.mul(s, v128.load(value, 48)));
        c4 = f32x4.add(c4, f32x4.mul(s, v128.load(value, 64)));
        c5 = f32x4.add(c5, f32x4.mul(s, v128.load(value, 80)));
        c6 = f32x4.add(c6, f32x4.mul(s, v128.load(value, 96)));
        c7 = f32x4.add(c7, f32x4.mul(s, v128.load(value, 112)));
      }
      const part = f32x4.splat(1 / total);
      const to = out + i * row + head;
      v128.store(to, f32x4.mul(c0, part));
      v128.store(to, f32x4.mul(c1, part), 16);
      v128.store(to, f32x4.mul(c2, part), 32);
      v128.store(to, f32x4.mul(c3, part), 48);
      v128.store(to, f32x4.mul(c4, part), 64);
      v128.store(to, f32x4.mul(c5, part), 80);
      v128.store(to, f32x4.mul(c6, part), 96);
      v128.store(to, f32x4.mul(c7, part), 112);
    }
  }
}

/** The dot products of one vector of bytes with many consecutive ones. `dims` is a multiple of sixteen. */
export function compare(query: usize, rows: usize, out: usize, count: i32, dims: i32): void {
  for (let row = 0; row < count; row++) {
    const at = rows + <usize>row * dims;
    let sum = i32x4.splat(0);
    for (let k: usize = 0; k < <usize>dims; k += 16) {
      const a = v128.load(query + k);
      const b = v128.load(at + k);
      sum = i32x4.add(sum, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(a), i16x8.extend_low_i8x16_s(b)));
      sum = i32x4.add(sum, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(a), i16x8.extend_high_i8x16_s(b)));
    }
    store<i32>(out + (<usize>row << 2), sumInts(sum));
  }
}
