import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { AudioFileTags, ChapterMark } from '../../audio/chapter-mark.ts';
import { Limiter } from '../../audio/dsp/limiter.ts';
import { buildId3Tag } from '../../audio/encode/id3-tag.ts';
import { encodeM4b } from '../../audio/encode/m4b-encoder.ts';
import { fromPcm16Bytes, toPcm16Bytes } from '../../audio/encode/pcm16.ts';
import { applyGain } from '../../audio/gain.ts';
import type { Pcm } from '../../audio/pcm.ts';
import { CaptionBuilder } from '../captions/caption-builder.ts';
import { CAPTION_FORMATS, type CaptionMediaType } from '../captions/caption-file.ts';
import { encodeSpeech } from '../speech/encode-speech.ts';
import type { AudiobookFiles, CaptionExtension } from './audiobook-files.ts';
import type { AudiobookJob, SpokenSection } from './audiobook-job.ts';
import { SECTION_RATE_HZ } from './speak-section.ts';

/** Loudness of an audiobook: the middle of the range of ACX, -23 to -18 dB, and its maximum peak. */
const TARGET_LUFS = -20;
const PEAK_MAX_DBTP = -3.2;
/** Maximum correction of the measured loudness. */
const GAIN_MAX_DB = 12;
const MP3_RATE_HZ = 44_100;

/** A job whose sections are all spoken. */
export interface SpokenBook {
  readonly job: AudiobookJob;
  /** Complete and in order. */
  readonly sections: readonly SpokenSection[];
  readonly files: Pick<AudiobookFiles, 'sectionPcm' | 'sectionWords'>;
}

export interface AssemblyOptions {
  readonly ffmpegPath: string;
  readonly signal: AbortSignal;
}

/** The chapters with their times in the audio. */
export function chapterMarks({ chapters }: AudiobookJob, sections: readonly SpokenSection[]): ChapterMark[] {
  let section = 0;
  let samples = 0;
  return chapters.map(({ title, sections: count }) => {
    const startSeconds = samples / SECTION_RATE_HZ;
    for (const end = section + count; section < end; section++) samples += sections[section]?.samples ?? 0;
    return { title, startSeconds, endSeconds: samples / SECTION_RATE_HZ };
  });
}

/** The audio file with its chapters, streamed in constant memory. Equal sections give equal bytes. */
export async function* assembleAudio(book: SpokenBook, options: AssemblyOptions): AsyncGenerator<Uint8Array> {
  const { job, sections } = book;
  const { format, bitrateKbps, author } = job.options;
  const tags: AudioFileTags = {
    title: job.options.title ?? 'Audiobook',
    author,
    chapters: chapterMarks(job, sections),
  };
  const audio = levelled(book, options.signal);
  if (format === 'm4b') {
    yield* encodeM4b(toBytes(audio), tags, { ...options, sampleRateHz: SECTION_RATE_HZ, bitrateKbps });
    return;
  }
  yield buildId3Tag(tags);
  const settings = {
    format,
    sampleRateHz: MP3_RATE_HZ,
    mp3BitrateKbps: bitrateKbps,
    opusBitrateBps: 'auto',
  } as const;
  yield* (await encodeSpeech(audio, settings)).body;
}

/** The audio of all sections at the loudness of an audiobook. */
async function* levelled({ job, sections, files }: SpokenBook, signal: AbortSignal): AsyncGenerator<Pcm> {
  const gainDb = gainOf(sections);
  const limiter = new Limiter({ sampleRateHz: SECTION_RATE_HZ, ceilingDbtp: PEAK_MAX_DBTP });
  for (const { index } of sections) {
    for await (const bytes of files.sectionPcm(job.id, index)) {
      signal.throwIfAborted();
      const samples = limiter.process(applyGain(fromPcm16Bytes(bytes), gainDb));
      if (samples.length > 0) yield { samples, sampleRateHz: SECTION_RATE_HZ };
      await yieldToEventLoop();
    }
  }
  const rest = limiter.flush();
  if (rest.length > 0) yield { samples: rest, sampleRateHz: SECTION_RATE_HZ };
}

/** The gain from the mean energy of the sections to the target. */
function gainOf(sections: readonly SpokenSection[]): number {
  let energy = 0;
  let samples = 0;
  for (const { lufs, samples: count } of sections) {
    if (lufs === undefined) continue;
    energy += count * 10 ** (lufs / 10);
    samples += count;
  }
  if (samples === 0) return 0;
  const gainDb = TARGET_LUFS - 10 * Math.log10(energy / samples);
  return Math.max(-GAIN_MAX_DB, Math.min(GAIN_MAX_DB, gainDb));
}

async function* toBytes(audio: AsyncIterable<Pcm>): AsyncGenerator<Uint8Array> {
  for await (const { samples } of audio) yield toPcm16Bytes(samples);
}

const MEDIA_TYPES: Readonly<Record<CaptionExtension, CaptionMediaType>> = {
  vtt: 'text/vtt',
  srt: 'application/x-subrip',
};

/** The captions of the whole book, streamed. */
export async function* assembleCaptions(
  { job, sections, files }: SpokenBook,
  extension: CaptionExtension,
): AsyncGenerator<Uint8Array> {
  const { header, write } = CAPTION_FORMATS[MEDIA_TYPES[extension]];
  const builder = new CaptionBuilder();
  let number = 0;
  let samples = 0;
  yield Buffer.from(header);
  for (const { index, samples: count } of sections) {
    const offset = samples / SECTION_RATE_HZ;
    samples += count;
    for (const word of await files.sectionWords(job.id, index)) {
      const { startSeconds, endSeconds } = word;
      const placed = { ...word, startSeconds: offset + startSeconds, endSeconds: offset + endSeconds };
      for (const caption of builder.add(placed)) yield Buffer.from(write(caption, ++number));
    }
  }
  for (const caption of builder.finish()) yield Buffer.from(write(caption, ++number));
}
