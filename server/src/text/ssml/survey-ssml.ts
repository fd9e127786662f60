import { dominantScript, hasSpeech, type Script } from '../script.ts';
import { readSsml, type SsmlLimits } from './ssml-events.ts';
import { decodeEntities } from './xml-reader.ts';

/** What is to be known of an SSML text before it is spoken. */
export interface SsmlSurvey {
  /** The language of the whole, as its root element names it. */
  readonly language: string | undefined;
  /** The voices and languages that it names within, each once. */
  readonly voices: readonly string[];
  readonly languages: readonly string[];
  /** The script of what is read; undefined without letters. */
  readonly script: Script | undefined;
  readonly hasSpeech: boolean;
}

const SAMPLE_LENGTH = 2000;

/** Reads an SSML text to its end without speaking it. Throws an `SsmlError` for everything that is wrong with it. */
export function surveySsml(text: string, limits: SsmlLimits): SsmlSurvey {
  const voices = new Set<string>();
  const languages = new Set<string>();
  let sample = '';
  let isSpoken = false;
  for (const event of readSsml(text, limits)) {
    if (event.kind !== 'text' && event.kind !== 'saying') continue;
    const { voice, language } = event.scope;
    if (voice !== undefined) voices.add(voice);
    if (language !== undefined) languages.add(language);
    if (event.kind === 'saying' && !isExpletive(event.saying)) isSpoken = true;
    if (event.kind !== 'text' || sample.length >= SAMPLE_LENGTH) continue;
    sample += decodeEntities(text.slice(event.start, Math.min(event.end, event.start + SAMPLE_LENGTH)));
    isSpoken ||= hasSpeech(sample);
  }
  return {
    language: rootLanguage(text),
    voices: [...voices],
    languages: [...languages],
    script: dominantScript(sample),
    hasSpeech: isSpoken,
  };
}

function isExpletive(saying: { readonly kind: string; readonly interpretation?: string }): boolean {
  return (
    saying.kind === 'say-as' && (saying.interpretation === 'expletive' || saying.interpretation === 'bleep')
  );
}

function rootLanguage(text: string): string | undefined {
  const root = /<speak(?=[\s>/])[^<>]*>/.exec(text)?.[0] ?? '';
  return /\sxml:lang\s*=\s*["']([^"'<]+)["']/.exec(root)?.[1];
}
