import { hasSpeech } from '../normalise/script.ts';
import { parseSsml, type SsmlEvent, type SsmlLimits } from './ssml-events.ts';
import { decodeEntities } from './xml-parser.ts';

/** Properties of an SSML text that are needed before synthesis. */
export interface SsmlSummary {
  /** `xml:lang` of the root element: a BCP 47 tag. */
  readonly language: string | undefined;
  /** The pairs of voice and language that are used, without duplicates. */
  readonly scopes: readonly { readonly voice?: string; readonly language?: string }[];
  /** The start of the spoken text, for the detection of the script. */
  readonly sample: string;
  readonly hasSpeech: boolean;
}

const SAMPLE_LENGTH = 2000;

/** Validates an SSML text and returns its summary. Throws an `SsmlError` for the first error. */
export function inspectSsml(text: string, limits: SsmlLimits): SsmlSummary {
  const scopes = new Map<string, SsmlSummary['scopes'][number]>();
  let sample = '';
  let isSpoken = false;
  for (const event of parseSsml(text, limits)) {
    if (event.kind !== 'text' && event.kind !== 'substitution') continue;
    const sampleOfEvent = spokenSample(event, text);
    isSpoken ||= hasSpeech(sampleOfEvent);
    if (!hasSpeech(sampleOfEvent)) continue;
    if (sample.length < SAMPLE_LENGTH) sample += `${sampleOfEvent} `;
    const { prosody: _, ...scope } = event.scope;
    scopes.set(JSON.stringify([scope.voice, scope.language]), scope);
  }
  return { language: rootLanguage(text), scopes: [...scopes.values()], sample, hasSpeech: isSpoken };
}

/** The start of the spoken text of an event. */
function spokenSample(event: SsmlEvent & { kind: 'text' | 'substitution' }, text: string): string {
  if (event.kind === 'text')
    return decodeEntities(text.slice(event.start, Math.min(event.end, event.start + SAMPLE_LENGTH)));
  const { substitution, written } = event;
  if (substitution.kind === 'phonemes') return written || substitution.phonemes.value;
  if (substitution.kind === 'alias') return substitution.alias;
  return /^(?:expletive|bleep)$/.test(substitution.interpretation) ? '' : written;
}

function rootLanguage(text: string): string | undefined {
  const root = /<speak(?=[\s>/])[^<>]*>/.exec(text)?.[0] ?? '';
  return /\sxml:lang\s*=\s*["']([^"'<]+)["']/.exec(root)?.[1];
}
