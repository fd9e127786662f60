import { hasSpeech } from '../normalise/script.ts';
import { parseSsml, type SsmlEvent, type SsmlLimits } from './ssml-events.ts';
import { decodeEntities } from './xml-parser.ts';

/** What is to be known of an SSML text before it is spoken. */
export interface SsmlSummary {
  /** The language of the whole, as its root element names it: a BCP 47 tag. */
  readonly language: string | undefined;
  /** The voices and languages that are spoken in, each pair once. */
  readonly scopes: readonly { readonly voice?: string; readonly language?: string }[];
  /** The first letters of what is read, by which its script is known. */
  readonly sample: string;
  readonly hasSpeech: boolean;
}

const SAMPLE_LENGTH = 2000;

/** Reads an SSML text to its end without speaking it. Throws an `SsmlError` for everything that is wrong with it. */
export function inspectSsml(text: string, limits: SsmlLimits): SsmlSummary {
  const scopes = new Map<string, SsmlSummary['scopes'][number]>();
  let sample = '';
  let isSpoken = false;
  for (const event of parseSsml(text, limits)) {
    if (event.kind !== 'text' && event.kind !== 'substitution') continue;
    const said = spokenSample(event, text);
    isSpoken ||= hasSpeech(said);
    if (!hasSpeech(said)) continue;
    if (sample.length < SAMPLE_LENGTH) sample += `${said} `;
    const { prosody: _, ...scope } = event.scope;
    scopes.set(JSON.stringify([scope.voice, scope.language]), scope);
  }
  return { language: rootLanguage(text), scopes: [...scopes.values()], sample, hasSpeech: isSpoken };
}

/** The beginning of what is heard of an event. A sound is heard, whatever is written for it. */
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
