/** The result of parsing: a value, or a problem to report to the client. */
export type ParseResult<Value> =
  | { readonly isValid: true; readonly value: Value }
  | { readonly isValid: false; readonly problem: string };

export function invalid(problem: string): { readonly isValid: false; readonly problem: string } {
  return { isValid: false, problem };
}

/** Maximum number of phonemes of one span: a short phrase, within the limit of an utterance. */
const PARTS_MAX = 120;

/** Rejects an empty list and one with more than `max` entries. */
export function checkLength(parts: readonly string[], max = PARTS_MAX): ParseResult<readonly string[]> {
  if (parts.length === 0) return invalid('it contains no phoneme');
  if (parts.length > max) return invalid(`it has more than ${max} phonemes`);
  return { isValid: true, value: parts };
}
