import { matchAt } from '../../../match-at.ts';
import {
  say,
  type Verbalization,
  type VerbalizationContext,
  type VerbalizationRule,
} from '../../verbalization.ts';
import type { Dialect } from '../dialect.ts';
import { fractionWords } from '../fractions.ts';

/** Commands of LaTeX with their words. An empty string drops the command. */
const COMMANDS: ReadonlyMap<string, string> = new Map([
  ...pairs(
    'times times, cdot times, div divided by, pm plus or minus, mp minus or plus, leq is less than or equal to, ' +
      'le is less than or equal to, geq is greater than or equal to, ge is greater than or equal to, ' +
      'neq is not equal to, ne is not equal to, approx is approximately, equiv is equivalent to, ' +
      'infty infinity, sqrt the square root of, sum the sum of, prod the product of, int the integral of, ' +
      'lim the limit of, partial partial, nabla nabla, to to, rightarrow to, in in, notin not in, ' +
      'forall for all, exists there exists, sin sine, cos cosine, tan tangent, log log, ln natural log, ' +
      'cup union, cap intersection, subset subset of, ldots and so on, dots and so on, degree degrees, circ degrees',
  ),
  ...'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi omega'
    .split(' ')
    .flatMap((name): [string, string][] => [
      [name, name],
      [name[0]!.toUpperCase() + name.slice(1), `capital ${name}`],
    ]),
  ...'left right text mathrm mathbf mathit mathbb displaystyle quad big bigg limits frac dfrac tfrac'
    .split(' ')
    .map((name): [string, string] => [name, '']),
]);

function pairs(list: string): [string, string][] {
  return list.split(', ').map((entry) => {
    const space = entry.indexOf(' ');
    return [entry.slice(0, space), entry.slice(space + 1)];
  });
}

const COMMAND = /\\([a-zA-Z]{2,12})(?![a-zA-Z])/y;
const NUMERIC_FRACTION = /\\[dt]?frac\{(\d{1,3})\}\{(\d{1,4})\}/y;
const FRACTION_BEFORE = /\\[dt]?frac\{[^{}]{1,60}$/;
/** Longest numerator that is searched backwards. */
const NUMERATOR_MAX = 68;

/** Formulas in LaTeX: \frac{1}{2}, \sqrt{x}, \alpha, \leq. */
export function latexRules({ numbers }: Dialect): VerbalizationRule[] {
  return [
    ({ text }, at) => {
      const match = matchAt(NUMERIC_FRACTION, text, at);
      if (!match) return undefined;
      const [written, above, below] = match;
      const end = at + written.length;
      const words = fractionWords(Number(above), Number(below), numbers.cardinal) ?? [
        ...numbers.cardinal(above!),
        'over',
        ...numbers.cardinal(below!),
      ];
      return { words: say(words, at, end), end };
    },
    verbalizeCommand,
    verbalizeFractionBar,
  ];
}

function verbalizeCommand({ text }: VerbalizationContext, at: number): Verbalization | undefined {
  const match = matchAt(COMMAND, text, at);
  const words = match ? COMMANDS.get(match[1]!) : undefined;
  if (!match || words === undefined) return undefined;
  const end = at + match[0].length;
  return { words: words === '' ? [] : say(words, at, end), end };
}

/** The end of a numerator: "}{" is verbalized as "over". */
function verbalizeFractionBar({ text }: VerbalizationContext, at: number): Verbalization | undefined {
  if (!text.startsWith('}{', at)) return undefined;
  if (!FRACTION_BEFORE.test(text.slice(Math.max(0, at - NUMERATOR_MAX), at))) return undefined;
  return { words: say('over', at, at + 2), end: at + 2 };
}
