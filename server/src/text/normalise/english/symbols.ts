import { matchAt } from '../../match-at.ts';
import {
  say,
  type Verbalization,
  type VerbalizationContext,
  type VerbalizationRule,
} from '../verbalization.ts';
import type { Dialect } from './dialect.ts';

/** Symbols that are always verbalized. */
const SYMBOLS: ReadonlyMap<string, string> = new Map(
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

/** Symbols that are verbalized in certain contexts: the keys # and *, "# of users", ".env", §§. */
export function symbolRules({ isBritish }: Dialect): VerbalizationRule[] {
  return [
    verbalizeNumberOf,
    (context, at) => verbalizeKey(context, at, isBritish),
    verbalizeDotName,
    verbalizeSections,
    verbalizeAnd,
    verbalizeHeart,
  ];
}

const NUMBER_OF = /#(?=\s(?:of|s\b))/y;
const SINGLE_SYMBOL = /([#*])(?=[\s,.;:!?”')]|$)(?!\s{0,3}[#*])/uy;
const ABOUT_KEYS =
  /(?:press|dial|key|enter|hit|push|type|button|symbol|sign|character|then|pound|hash|star)/i;

function verbalizeNumberOf({ text }: VerbalizationContext, at: number): Verbalization | undefined {
  return matchAt(NUMBER_OF, text, at) ? { words: say('number', at, at + 1), end: at + 1 } : undefined;
}

/** A single symbol in a sentence about keys. Elsewhere it is decoration. */
function verbalizeKey(
  { text, previous }: VerbalizationContext,
  at: number,
  isBritish: boolean,
): Verbalization | undefined {
  const match = matchAt(SINGLE_SYMBOL, text, at);
  if (!match || previous === '' || !/[\s“'(]/.test(text[at - 1] ?? '')) return undefined;
  if (!ABOUT_KEYS.test(text.slice(Math.max(0, at - 60), at + 30))) return undefined;
  const name = match[1] === '*' ? 'star' : isBritish ? 'hash' : 'pound';
  return { words: say(name, at, at + 1), end: at + 1 };
}

const DOT_NAME = /\.(?=(?:\p{Ll}{2,}|\p{Lu}{2,5})(?!\p{L}))/uy;

/** .NET, .env, .csv: a name that begins with a dot. */
function verbalizeDotName({ text }: VerbalizationContext, at: number): Verbalization | undefined {
  if (!matchAt(DOT_NAME, text, at) || /[^\s“(]/.test(text[at - 1] ?? ' ')) return undefined;
  return { words: say('dot', at, at + 1), end: at + 1 };
}

function verbalizeSections({ text }: VerbalizationContext, at: number): Verbalization | undefined {
  return text.startsWith('§§', at) ? { words: say('sections', at, at + 2), end: at + 2 } : undefined;
}

const SHORT_AND = /'n'(?!\p{L})/uy;

/** rock 'n' roll. */
function verbalizeAnd({ text }: VerbalizationContext, at: number): Verbalization | undefined {
  return matchAt(SHORT_AND, text, at) ? { words: say('and', at, at + 3), end: at + 3 } : undefined;
}

const HEART = /♥(?=\s?\p{L})/uy;
const LOVER = /^(?:I|you|we|they|who|to)$/i;

/** "I ♥ it". Elsewhere a heart is decoration. */
function verbalizeHeart({ text, previous }: VerbalizationContext, at: number): Verbalization | undefined {
  if (!LOVER.test(previous) || !matchAt(HEART, text, at)) return undefined;
  return { words: say('love', at, at + 1), end: at + 1 };
}

/** Verbalizes symbols: "&", "5 + 3", "-4", "#5". Undefined for punctuation and decoration. */
export function verbalizeSymbol({ text }: VerbalizationContext, at: number): Verbalization | undefined {
  const symbol = text[at]!;
  const said = SYMBOLS.get(symbol);
  if (said) {
    // A single Greek letter is named; within a Greek word it is not.
    if (GREEK.test(symbol) && GREEK.test((text[at + 1] ?? '') + (text[at - 1] ?? ''))) return undefined;
    return { words: say(said, at, at + 1), end: at + 1 };
  }
  const before = text[at - 1] ?? ' ';
  if (/[\s(“–—]/.test(before) && /^(?:[$£€¥]?\.?\d)/.test(text.slice(at + 1, at + 4))) {
    const prefix = BEFORE_NUMBER[symbol];
    if (prefix) return { words: say(prefix, at, at + 1), end: at + 1 };
  }
  if (symbol === '^' && /[\d)\p{L}]\^-?\d/u.test(text.slice(at - 1, at + 3)))
    return { words: say('to the power of', at, at + 1), end: at + 1 };
  const operator = OPERATORS[symbol];
  if (!operator) return undefined;
  if (symbol === '+') return { words: say(operator, at, at + 1), end: at + 1 };
  if (!/[\d)a-z]\s$/.test(text.slice(Math.max(0, at - 2), at)) || !matchAt(BETWEEN_OPERANDS, text, at - 1))
    return undefined;
  const isSpaced = /[\p{L}\d)]\s$/u.test(text.slice(Math.max(0, at - 2), at));
  if ((symbol === '<' || symbol === '>') && isSpaced)
    return { words: say(operator, at, at + 1), end: at + 1 };
  const isEquation = /^[^.!?]{0,24}=/.test(text.slice(at + 1, at + 26));
  const isNumeric =
    /\d\s$/.test(text.slice(Math.max(0, at - 2), at)) && /^\s\d/.test(text.slice(at + 1, at + 3));
  return isNumeric && (isEquation || symbol === '*')
    ? { words: say(operator, at, at + 1), end: at + 1 }
    : undefined;
}
