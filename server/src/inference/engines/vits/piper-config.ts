import type { Language } from '../../../text/piece.ts';
import type { PiperVocabulary } from '../../phonemizer/tokens/piper-tokens.ts';

/** Configuration of a Piper voice: the `.onnx.json` next to its weights. */
export interface PiperConfig {
  readonly sampleRateHz: number;
  /** How text becomes symbols: through espeak-ng, or letter by letter. */
  readonly phonemeType: 'espeak' | 'text';
  /** The espeak-ng voice it was trained on, such as `en-us`. */
  readonly espeakVoice: string;
  /** Language, if the server supports it. */
  readonly language: Language | undefined;
  /** Language as stated in the file, as a BCP 47 tag. */
  readonly languageTag: string;
  /** From symbol (one code point) to ids. */
  readonly symbolIds: PiperVocabulary;
  /** Speaker name to row; empty for a single-speaker voice. */
  readonly speakerRows: ReadonlyMap<string, number>;
  /** Noise scale of the latent, duration factor, and noise scale of the durations. */
  readonly noiseScale: number;
  readonly lengthScale: number;
  readonly durationNoiseScale: number;
}

/** Piper's defaults for voices without inference settings. */
const DEFAULT_SCALES = { noise_scale: 0.667, length_scale: 1, noise_w: 0.8 } as const;

/** Start, end and the pad between symbols; required in every Piper voice. */
const REQUIRED_SYMBOLS = ['^', '$', '_'] as const;

/** Parses the text of an `.onnx.json`. Throws an error that names the first invalid field. */
export function parsePiperConfig(json: string): PiperConfig {
  const root = asRecord(parseJson(json), 'The file');
  const sampleRateHz = asNumber(asRecord(root.audio, '"audio"').sample_rate, '"audio.sample_rate"');
  if (!Number.isInteger(sampleRateHz) || sampleRateHz < 8000 || sampleRateHz > 48000) {
    throw new Error(`"audio.sample_rate" is ${sampleRateHz}; it should be from 8000 to 48000.`);
  }
  const phonemeType = root.phoneme_type ?? 'espeak';
  if (phonemeType !== 'espeak' && phonemeType !== 'text') {
    throw new Error(
      `"phoneme_type" is ${JSON.stringify(phonemeType)}; only "espeak" and "text" are supported.`,
    );
  }
  const espeakVoice = asText(asRecord(root.espeak ?? {}, '"espeak"').voice ?? 'en-us', '"espeak.voice"');
  const scales = { ...DEFAULT_SCALES, ...asRecord(root.inference ?? {}, '"inference"') };
  const code = asRecord(root.language ?? {}, '"language"').code;
  const languageTag = (code === undefined ? espeakVoice : asText(code, '"language.code"')).replaceAll(
    '_',
    '-',
  );
  return {
    sampleRateHz,
    phonemeType,
    espeakVoice,
    language: knownLanguage(languageTag) ?? knownLanguage(espeakVoice),
    languageTag,
    symbolIds: parseSymbolIds(root.phoneme_id_map),
    speakerRows: parseSpeakerRows(root.speaker_id_map),
    noiseScale: asNumber(scales.noise_scale, '"inference.noise_scale"'),
    lengthScale: asNumber(scales.length_scale, '"inference.length_scale"'),
    durationNoiseScale: asNumber(scales.noise_w, '"inference.noise_w"'),
  };
}

/** The supported language for a BCP 47 tag or an espeak-ng voice name. */
export function knownLanguage(tag: string): Language | undefined {
  const [base = '', region = ''] = tag.toLowerCase().split(/[-_]/);
  switch (base) {
    case 'en':
      return region === 'gb' ? 'en-GB' : 'en-US';
    case 'pt':
      return region === 'br' ? 'pt-BR' : undefined;
    case 'es':
    case 'fr':
    case 'it':
    case 'hi':
    case 'ja':
      return base;
    case 'zh':
    case 'cmn':
      return 'zh';
    default:
      return undefined;
  }
}

function parseSymbolIds(value: unknown): PiperVocabulary {
  const symbolIds = new Map<string, readonly number[]>();
  for (const [symbol, ids] of Object.entries(asRecord(value, '"phoneme_id_map"'))) {
    if (!Array.isArray(ids)) throw new Error(`"phoneme_id_map" has no list of ids for "${symbol}".`);
    symbolIds.set(
      symbol,
      ids.map((id) => asNumber(id, `An id of "${symbol}"`)),
    );
  }
  for (const symbol of REQUIRED_SYMBOLS) {
    if (!symbolIds.has(symbol)) throw new Error(`"phoneme_id_map" has no id for "${symbol}".`);
  }
  return symbolIds;
}

function parseSpeakerRows(value: unknown): Map<string, number> {
  const rows = new Map<string, number>();
  for (const [name, row] of Object.entries(asRecord(value ?? {}, '"speaker_id_map"'))) {
    rows.set(name, asNumber(row, `The number of speaker "${name}"`));
  }
  return rows;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new Error('The file is not valid JSON.', { cause });
  }
}

function asRecord(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`${what} is missing or not an object.`);
  }
  return value as Record<string, unknown>;
}

function asNumber(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Error(`${what} is not a number.`);
  return value;
}

function asText(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '') throw new Error(`${what} is not a text.`);
  return value;
}
