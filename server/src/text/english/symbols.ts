import { type Context, matchAt, type Reading, say } from '../reading.ts';

/** Signs that are said wherever they stand. */
const SIGNS: ReadonlyMap<string, string> = new Map(
  (
    '& and, @ at, % percent, = equals, § section, № number, ∞ infinity, ≠ not equal to, ≤ at most, ≥ at least, ' +
    '√ square root of, ÷ divided by, ± plus or minus, ≈ approximately, × times, ° degrees, € euros, £ pounds, ' +
    '² squared, ³ cubed, α alpha, β beta, γ gamma, δ delta, ε epsilon, θ theta, λ lambda, μ mu, π pi, ρ rho, ' +
    'σ sigma, τ tau, φ phi, χ chi, ψ psi, ω omega, Δ delta, Σ sigma, Ω omega, Φ phi'
  )
    .split(', ')
    .map((entry) => [entry.slice(0, 1), entry.slice(2)]),
);
const BETWEEN_OPERANDS = /(?:\s[+*/<>-]|[+])\s?(?=[\d.(]|[a-zA-Z]\b)/y;
const BEFORE_NUMBER: Readonly<Record<string, string>> = {
  ...{ '-': 'minus', '+': 'plus', '~': 'about', '<': 'less than', '>': 'more than', '#': 'number' },
};
const OPERATORS: Readonly<Record<string, string>> = {
  ...{
    '+': 'plus',
    '*': 'times',
    '/': 'divided by',
    '<': 'is less than',
    '>': 'is greater than',
    '-': 'minus',
  },
};
const GREEK = /\p{Script=Greek}/u;

/**
 * Signs that are words: "&", "5 + 3", "-4", "#5". Anything else at `at` is punctuation or decoration and
 * gives nothing.
 */
export function readSymbol({ text }: Context, at: number): Reading | undefined {
  const sign = text[at]!;
  const said = SIGNS.get(sign);
  if (said) {
    // A lone Greek letter is a name; in a word of its own script it is not.
    if (GREEK.test(sign) && GREEK.test((text[at + 1] ?? '') + (text[at - 1] ?? ''))) return undefined;
    return { words: say(said, at, at + 1), end: at + 1 };
  }
  const before = text[at - 1] ?? ' ';
  if (/[\s(“–—]/.test(before) && /^(?:[$£€¥]?\.?\d)/.test(text.slice(at + 1, at + 4))) {
    const prefix = BEFORE_NUMBER[sign];
    if (prefix) return { words: say(prefix, at, at + 1), end: at + 1 };
  }
  if (sign === '^' && /\d/.test(text[at + 1] ?? ''))
    return { words: say('to the power of', at, at + 1), end: at + 1 };
  const operator = OPERATORS[sign];
  if (!operator) return undefined;
  if (sign === '+') return { words: say(operator, at, at + 1), end: at + 1 };
  if (!/[\d)a-z]\s$/.test(text.slice(Math.max(0, at - 2), at)) || !matchAt(BETWEEN_OPERANDS, text, at - 1))
    return undefined;
  const isEquation = /^[^.!?]{0,24}=/.test(text.slice(at + 1, at + 26));
  const isNumeric =
    /\d\s$/.test(text.slice(Math.max(0, at - 2), at)) && /^\s\d/.test(text.slice(at + 1, at + 3));
  return isNumeric && (isEquation || sign === '*' || sign === '<' || sign === '>')
    ? { words: say(operator, at, at + 1), end: at + 1 }
    : undefined;
}
