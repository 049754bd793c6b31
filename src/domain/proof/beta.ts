/** The cumulative Beta distribution: the belief about a share after a number of hits and misses. */
export function betaCdf(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(lnGamma(a + b) - lnGamma(a) - lnGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  // The continued fraction converges fast only on one side of the mean.
  return x < (a + 1) / (a + b + 2) ? (front * fraction(x, a, b)) / a : 1 - (front * fraction(1 - x, b, a)) / b;
}

/** The value below which a fraction `q` of the distribution lies. */
export function betaQuantile(q: number, a: number, b: number): number {
  let low = 0;
  let high = 1;
  let x = a / (a + b);
  for (let i = 0; i < 100; i++) {
    const off = betaCdf(x, a, b) - q;
    if (off > 0) high = x;
    else low = x;
    const slope = Math.exp(lnGamma(a + b) - lnGamma(a) - lnGamma(b) + (a - 1) * Math.log(x) + (b - 1) * Math.log1p(-x));
    const step = x - off / slope;
    // A Newton step if it stays within the bracket, else bisection.
    const next = step > low && step < high ? step : (low + high) / 2;
    if (Math.abs(next - x) <= 1e-10 * next) return next;
    x = next;
  }
  return x;
}

/** Lentz's method. */
function fraction(x: number, a: number, b: number): number {
  const tiny = 1e-300;
  let c = 1;
  let d = 1 - ((a + b) * x) / (a + 1);
  d = 1 / (Math.abs(d) < tiny ? tiny : d);
  let result = d;
  for (let m = 1; m <= 300; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    for (const term of [even, odd]) {
      d = 1 + term * d;
      d = 1 / (Math.abs(d) < tiny ? tiny : d);
      c = 1 + term / c;
      if (Math.abs(c) < tiny) c = tiny;
      result *= c * d;
    }
    if (Math.abs(c * d - 1) < 1e-13) break;
  }
  return result;
}

/** The Lanczos approximation, accurate to about 15 digits. */
function lnGamma(z: number): number {
  if (z < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * z)) - lnGamma(1 - z);
  let sum = 0.999_999_999_999_809_9;
  lanczos.forEach((weight, at) => {
    sum += weight / (z + at);
  });
  const t = z + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (z - 0.5) * Math.log(t) - t + Math.log(sum);
}

const lanczos = [
  676.520_368_121_885_1, -1259.139_216_722_402_8, 771.323_428_777_653_1, -176.615_029_162_140_6, 12.507_343_278_686_9,
  -0.138_571_095_265_72, 9.984_369_578_019_57e-6, 1.505_632_735_149_31e-7,
];
