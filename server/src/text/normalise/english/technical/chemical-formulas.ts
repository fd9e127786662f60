import { matchAt } from '../../../match-at.ts';
import { say, spell, type VerbalizationRule, type VerbalizedWord } from '../../verbalization.ts';
import type { Dialect } from '../dialect.ts';

const ELEMENTS: ReadonlySet<string> = new Set(
  (
    'H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo ' +
    'Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb ' +
    'Bi Po At Rn Fr Ra Ac Th Pa U Np Pu'
  ).split(' '),
);

const FORMULA =
  /((?:[A-Z][a-z]?\d{0,3}|\((?:[A-Z][a-z]?\d{0,2}){1,4}\)\d{1,2}){1,12})((?:\^?\{?(?:\d{0,2}|[²³])\^?[+-]\}?)(?![\p{L}\d+-]))?(?![\p{L}\d])/uy;
const PART = /([A-Z][a-z]?)|(\d+)/g;
const CHARGE_NAMES: Readonly<Record<string, string>> = { '+': 'plus', '-': 'minus' };

/** Chemical formulas and ions: NaCl, CaCO3, Fe3+. The symbols of the elements are spelled. */
export function chemicalFormulaRule({ numbers }: Dialect): VerbalizationRule {
  return (context, at) => {
    const match = matchAt(FORMULA, context.text, at);
    if (!match) return undefined;
    const [written, formula, charge] = match;
    if (!isFormula(formula!, charge)) return undefined;
    const words = formulaWords(formula!, at, numbers);
    const chargeWords = charge ? chargeOf(charge, at + formula!.length, numbers) : [];
    return { words: [...words, ...chargeWords], end: at + written.length };
  };
}

function formulaWords(formula: string, at: number, numbers: Dialect['numbers']): VerbalizedWord[] {
  const words: VerbalizedWord[] = [];
  for (const part of formula.matchAll(PART)) {
    const [start, end] = [at + part.index, at + part.index + part[0].length];
    words.push(...(part[1] ? spell(part[1], start, end) : say(numbers.cardinal(part[2]!), start, end)));
  }
  return words;
}

function chargeOf(charge: string, at: number, numbers: Dialect['numbers']): VerbalizedWord[] {
  const digits = charge.replace('²', '2').replace('³', '3').replace(/\D/g, '');
  const end = at + charge.length;
  const sign = CHARGE_NAMES[/[+-]/.exec(charge)![0]]!;
  return say([...(digits ? numbers.cardinal(digits) : []), sign], at, end);
}

/** "Fe3+" and "Cl-" are ions, "In-" and "Co-" are the beginning of a compound word. */
function isIonCharge(symbol: string, charge: string): boolean {
  return charge.includes('+') || /\d/.test(symbol + charge) || /^(?:Cl|Br)$/.test(symbol);
}

/**
 * Whether symbols of elements are a formula and not a word, a name or an acronym: at least two elements of which one
 * has two letters, or a charge after an element of two letters.
 */
function isFormula(formula: string, charge: string | undefined): boolean {
  const symbols = formula.match(/[A-Z][a-z]?/g)!;
  if (!symbols.every((symbol) => ELEMENTS.has(symbol))) return false;
  const hasLongSymbol = symbols.some((symbol) => symbol.length === 2);
  if (symbols.length === 1) return hasLongSymbol && charge !== undefined && isIonCharge(formula, charge);
  return hasLongSymbol || (charge !== undefined && /\d/.test(formula + charge));
}
