import type { Charge } from '../accounts/metering/billing.ts';
import type { DictionaryResolver } from '../dictionaries/dictionary-resolver.ts';
import type { SpeechService } from '../speech/speech-service.ts';
import { parseLanguage } from '../voices/catalogue/language-tags.ts';
import type { VoiceResolver } from '../voices/library/voice-resolver.ts';
import { assembleAudio, assembleCaptions } from './assemble-audiobook.ts';
import { type AudiobookFiles, CAPTION_EXTENSIONS } from './audiobook-files.ts';
import type { AudiobookJob, AudiobookStore, ChapterVoice, ClaimedAudiobook } from './audiobook-job.ts';
import type { Section } from './plan-sections.ts';
import { type SectionRequest, SectionSpeech } from './speak-section.ts';

/** Permits for FFmpeg processes, shared by all parts of a server. */
export interface FfmpegPermits {
  acquire(owner: string, signal?: AbortSignal): Promise<() => void>;
}

export interface AudiobookRunnerDeps {
  readonly store: AudiobookStore;
  readonly files: AudiobookFiles;
  readonly speech: Pick<SpeechService, 'speakTimed'>;
  readonly voices: Pick<VoiceResolver, 'resolve'>;
  readonly dictionaries: Pick<DictionaryResolver, 'resolve'>;
  readonly openCharge: (
    job: ClaimedAudiobook,
    section: { readonly index: number; readonly units: number },
  ) => Promise<Pick<Charge, 'extend' | 'settle'>>;
  readonly ffmpegPath: string;
  readonly ffmpegSlots: FfmpegPermits;
  /** Number of sections of a job that are spoken at the same time. */
  readonly sectionsAtOnce: number;
  /** Maximum silence that cues and SSML insert in a section. */
  readonly sectionSilenceMaxSeconds: number;
}

/** A section that is not spoken yet. */
interface OpenSection extends Section {
  readonly index: number;
  readonly request: Omit<SectionRequest, 'text' | 'seed' | 'requestId'>;
}

const SEED_MAX = 2 ** 31;

/** Speaks the open sections of a job, then writes its audio file and captions. */
export class AudiobookRunner {
  readonly #deps: AudiobookRunnerDeps;

  constructor(deps: AudiobookRunnerDeps) {
    this.#deps = deps;
  }

  /** Runs a job to its end. Throws when it fails, and when the signal aborts. `abort` ends all work of the job. */
  async run(job: ClaimedAudiobook, abort: AbortController): Promise<void> {
    const spoken = await this.#deps.store.sections(job.id);
    const open = this.#openSections(job, new Set(spoken.map(({ index }) => index)), abort.signal);
    const speakNext = async () => {
      for await (const section of open) await this.#speak(job, section, abort);
    };
    const count = Math.max(1, this.#deps.sectionsAtOnce);
    const loops = Array.from({ length: count }, () =>
      speakNext().catch((error: unknown) => {
        // The other sections in progress are not needed: the job is repeated or has failed.
        abort.abort(error);
        throw error;
      }),
    );
    const failures = (await Promise.allSettled(loops)).filter((result) => result.status === 'rejected');
    if (failures.length > 0) throw abort.signal.reason;
    await this.#assemble(job, abort.signal);
  }

  async *#openSections(
    job: ClaimedAudiobook,
    spoken: ReadonlySet<number>,
    signal: AbortSignal,
  ): AsyncGenerator<OpenSection> {
    let first = 0;
    for (const [number, { sections: count }] of job.chapters.entries()) {
      const indexes = Array.from({ length: count }, (_, offset) => first + offset);
      first += count;
      if (indexes.every((index) => spoken.has(index))) continue;
      signal.throwIfAborted();
      const { sections } = await this.#deps.files.chapter(job.id, number);
      const request = await this.#chapterRequest(job, number, signal);
      for (const [offset, index] of indexes.entries()) {
        if (!spoken.has(index)) yield { ...sections[offset]!, index, request };
      }
    }
  }

  async #chapterRequest(
    { caller, options }: AudiobookJob,
    chapterIndex: number,
    signal: AbortSignal,
  ): Promise<OpenSection['request']> {
    const { accountId } = caller;
    const { model, speed, language } = options;
    const { voice: named, dictionaries }: ChapterVoice = {
      ...options,
      ...options.chapters[chapterIndex + 1],
    };
    const voices = await this.#deps.voices.resolve({ accountId, named, recordings: [], isPerSpeaker: false });
    const pronunciations = await this.#deps.dictionaries.resolve(accountId, dictionaries);
    return {
      accountId,
      model,
      speed,
      voice: await voices.load(signal),
      language: language === undefined ? undefined : parseLanguage(language),
      ...(pronunciations && { pronunciations }),
    };
  }

  /** Speaks, charges and stores one section. The charge precedes the record, so that a crash between them is not free. */
  async #speak(job: ClaimedAudiobook, section: OpenSection, abort: AbortController): Promise<void> {
    const { store, files, speech } = this.#deps;
    const { text, index, pauseSeconds } = section;
    const units = Buffer.byteLength(text);
    const charge = await this.#deps.openCharge(job, { index, units });
    let chargedUnits = 0;
    const request = {
      ...section.request,
      text,
      requestId: `${job.id}:${index}`,
      silenceMaxSeconds: this.#deps.sectionSilenceMaxSeconds,
      seed: (job.options.seed + index) % SEED_MAX,
    };
    const spoken = new SectionSpeech(speech, request, pauseSeconds, abort.signal);
    try {
      await files.writeSection(job.id, index, { pcm: spoken.pcm, words: () => spoken.words() });
      abort.signal.throwIfAborted();
      await charge.extend(units + spoken.dictionaryBytes);
      chargedUnits = units + spoken.dictionaryBytes;
    } finally {
      await charge.settle(chargedUnits, spoken.voice);
    }
    const { samples, lufs } = spoken;
    if (!(await store.addSection(job.lease, { index, samples, lufs })))
      abort.abort(new Error('The lease on the job was lost.'));
    abort.signal.throwIfAborted();
  }

  async #assemble(job: ClaimedAudiobook, signal: AbortSignal): Promise<void> {
    const { store, files, ffmpegPath, ffmpegSlots } = this.#deps;
    const book = { job, sections: await store.sections(job.id), files };
    const { format } = job.options;
    const release = format === 'm4b' ? await ffmpegSlots.acquire('audiobook', signal) : () => {};
    try {
      await files.writeAudio(job.id, format, assembleAudio(book, { ffmpegPath, signal }));
    } finally {
      release();
    }
    for (const extension of CAPTION_EXTENSIONS)
      await files.writeCaptions(job.id, extension, assembleCaptions(book, extension));
  }
}
