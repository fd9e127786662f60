import { detectTextLanguage } from '../../../text/language/detect-language.ts';
import type { TranscribedSpeech } from '../../engines/voice-search.ts';
import { ANALYSIS_RATE_HZ } from '../intake/clip-frames.ts';
import { resample } from '../intake/read-clip.ts';
import type { ClipTranscriber } from '../voice-cloner.ts';
import type { RecordedSpeech } from './stored-speech.ts';

/** Maximum duration of the excerpt. Parts of 12 s are enough, and the work of a refinement does not depend on it. */
const SECONDS_MAX = 12;
/** The duration of the parts that a refinement compares. */
const SECONDS_MIN = 3;
/** Characters of a transcript per second of speech. A transcript outside this range belongs to other audio. */
const CHARACTERS_PER_SECOND = { min: 5, max: 30 };

/**
 * The beginning of a recording with its English transcript: the given text if it belongs to exactly this part, else that
 * of speech recognition. Undefined if there is no usable one.
 */
export async function transcribeExcerpt(
  recording: RecordedSpeech,
  options: {
    readonly sampleRateHz: number;
    readonly transcriber: ClipTranscriber | undefined;
    readonly signal: AbortSignal;
  },
): Promise<TranscribedSpeech | undefined> {
  const { sampleRateHz, transcriber, signal } = options;
  const samples = recording.samples.slice(0, SECONDS_MAX * sampleRateHz);
  const seconds = samples.length / sampleRateHz;
  if (seconds < SECONDS_MIN) return undefined;
  const isWhole = recording.durationSeconds <= SECONDS_MAX;
  if (isWhole && isPlausible(recording.text, seconds)) return { samples, text: recording.text };
  if (transcriber === undefined) return undefined;
  const samples16k = resample(samples, sampleRateHz, ANALYSIS_RATE_HZ);
  const { text, language = 'en' } = await transcriber.transcribe(samples16k, signal);
  return language === 'en' && isPlausible(text, seconds) ? { samples, text } : undefined;
}

function isPlausible(text: string, seconds: number): boolean {
  const rate = text.trim().length / seconds;
  if (rate < CHARACTERS_PER_SECOND.min || rate > CHARACTERS_PER_SECOND.max) return false;
  return (detectTextLanguage(text) ?? 'en') === 'en';
}
