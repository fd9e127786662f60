/** Modified Bessel function of the first kind, order 0, by its power series. */
function bessel0(x: number): number {
  const quarterSquare = (x * x) / 4;
  let term = 1;
  let sum = 1;
  for (let k = 1; term > sum * 1e-17; k++) {
    term *= quarterSquare / (k * k);
    sum += term;
  }
  return sum;
}

/** The Kaiser window with parameter `beta` at `position` in [-1, 1]; 0 outside. */
export function kaiserWindow(position: number, beta: number): number {
  if (Math.abs(position) > 1) return 0;
  return bessel0(beta * Math.sqrt(1 - position * position)) / bessel0(beta);
}

/** The `beta` for a stop-band attenuation (Kaiser's formula for 50 dB and more). */
export function kaiserBeta(attenuationDb: number): number {
  return 0.1102 * (attenuationDb - 8.7);
}

/** sin(pi x) / (pi x). */
export function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}
