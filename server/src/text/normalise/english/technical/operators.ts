import { matchAt } from '../../../match-at.ts';
import { say, type Verbalization, type VerbalizationContext } from '../../verbalization.ts';

/** Operators of several characters, from the longest to the shortest, with the words between two operands. */
const OPERATOR_WORDS: readonly (readonly [string, string])[] = [
  ['!==', 'is not equal to'],
  ['===', 'equals'],
  ['!=', 'is not equal to'],
  ['<>', 'is not equal to'],
  ['=/=', 'is not equal to'],
  ['==', 'equals'],
  ['>=', 'is greater than or equal to'],
  ['<=', 'is less than or equal to'],
  ['&&', 'and'],
  ['||', 'or'],
  [':=', 'is'],
  ['+=', 'plus equals'],
  ['-=', 'minus equals'],
  ['*=', 'times equals'],
];
/** Comparisons before a number without a left operand: "needs >= 8 GB". */
const BOUNDS: Readonly<Record<string, string>> = {
  '>=': 'at least',
  '<=': 'at most',
  '≥': 'at least',
  '≤': 'at most',
};
const INEQUALITIES: Readonly<Record<string, string>> = {
  '≥': 'is greater than or equal to',
  '≤': 'is less than or equal to',
};
const RIGHT_OPERAND = /\s?[\p{L}\d“'"([$£€._!~+-]/uy;
/** A variable, a number or a closing bracket before the operator. */
const LEFT_OPERAND = /(?:[\d)\]_%]|(?<![\p{L}'])\p{L}|\p{L}[\d_]\p{L}*|\p{Ll}\p{Lu}\p{L}*)\s?$/u;
const OPERATOR_START = /[!=<>&|:+*≥≤-]/;

/** Comparison and logical operators of programming languages and formulas: !=, >=, &&, ||, ≤. */
export function verbalizeOperator({ text }: VerbalizationContext, at: number): Verbalization | undefined {
  const first = text[at]!;
  if (!OPERATOR_START.test(first)) return undefined;
  const [symbol, words] = operatorAt(text, at) ?? [];
  if (!symbol || !words) return undefined;
  const end = at + symbol.length;
  // "=====" underlines a heading.
  if (/[=|&<>]/.test(text[at - 1] ?? ' ') || /[=|&<>]/.test(text[end] ?? ' ')) return undefined;
  if (!matchAt(RIGHT_OPERAND, text, end)) return undefined;
  const hasLeft = LEFT_OPERAND.test(text.slice(Math.max(0, at - 24), at));
  return { words: say(BOUNDS[symbol] && !hasLeft ? BOUNDS[symbol] : words, at, end), end };
}

function operatorAt(text: string, at: number): readonly [string, string] | undefined {
  const inequality = INEQUALITIES[text[at]!];
  if (inequality) return [text[at]!, inequality];
  return OPERATOR_WORDS.find(([symbol]) => text.startsWith(symbol, at));
}

const TIGHT_COMPARISON = /([<>])(?=-?\d)/uy;

/** A comparison without spaces: "n>0". */
export function verbalizeTightComparison(
  { text }: VerbalizationContext,
  at: number,
): Verbalization | undefined {
  const match = matchAt(TIGHT_COMPARISON, text, at);
  if (!match || !/(?<![\p{L}'])[\p{L}\d]$|[\d)]$/u.test(text.slice(Math.max(0, at - 2), at)))
    return undefined;
  return { words: say(match[1] === '<' ? 'is less than' : 'is greater than', at, at + 1), end: at + 1 };
}

const LONG_FLAG = /--(?=[a-z][a-z\d-]{1,30}(?![\p{L}]))/uy;

/** An option of a command: "--verbose". */
export function verbalizeFlag({ text }: VerbalizationContext, at: number): Verbalization | undefined {
  if (!/[\s“(]/.test(text[at - 1] ?? ' ') || !matchAt(LONG_FLAG, text, at)) return undefined;
  return { words: say('dash dash', at, at + 2), end: at + 2 };
}
