/** Sample rate of speech in the console, in Hz. */
export const SAMPLE_RATE_HZ = 24_000;
/** Lead of a scheduled start, so that the first samples are not in the past. */
const START_LEAD_SECONDS = 0.02;

let sharedContext: AudioContext | undefined;

/** The audio output. It has the sample rate of the speech, so that chunks join without resampling at the seams. */
export function audioContext(): AudioContext {
  sharedContext ??= new AudioContext({ sampleRate: SAMPLE_RATE_HZ, latencyHint: 'interactive' });
  return sharedContext;
}

let activePlayer: PcmPlayer | undefined;

/** Plays PCM that may still be arriving. Chunks are scheduled one after the other on the clock of the output. */
export class PcmPlayer {
  readonly #chunks: Float32Array<ArrayBuffer>[] = [];
  readonly #sources = new Set<AudioBufferSourceNode>();
  readonly #listeners = new Set<() => void>();
  /** When which position of the audio starts to play; an underrun adds an entry. */
  #schedule: { readonly atSeconds: number; readonly positionSeconds: number }[] = [];
  #samples = 0;
  #scheduledSamples = 0;
  #cursorSeconds = 0;
  #pausedAtSeconds = 0;
  #isPlaying = false;
  #isComplete = false;

  /** Calls back when it starts, pauses, ends, or gets more audio. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get isPlaying(): boolean {
    return this.#isPlaying;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  get durationSeconds(): number {
    return this.#samples / SAMPLE_RATE_HZ;
  }

  get positionSeconds(): number {
    if (!this.#isPlaying) return this.#pausedAtSeconds;
    const now = audioContext().currentTime;
    const current = this.#schedule.findLast(({ atSeconds }) => atSeconds <= now) ?? this.#schedule[0];
    if (current === undefined) return this.#pausedAtSeconds;
    const position = current.positionSeconds + Math.max(0, now - current.atSeconds);
    return Math.min(position, this.#scheduledSamples / SAMPLE_RATE_HZ);
  }

  /** Adds audio, which plays at once when the player is playing. */
  append(samples: Float32Array<ArrayBuffer>): void {
    if (samples.length === 0) return;
    this.#chunks.push(samples);
    this.#samples += samples.length;
    if (this.#isPlaying) this.#enqueue(samples);
    this.#notify();
  }

  /** No more audio will come. */
  complete(): void {
    this.#isComplete = true;
    if (this.#isPlaying && this.#sources.size === 0) this.#end();
    this.#notify();
  }

  play(fromSeconds = this.#pausedAtSeconds): void {
    if (activePlayer !== this) activePlayer?.pause();
    activePlayer = this;
    this.#stopSources();
    const context = audioContext();
    void context.resume();
    const start = this.#isComplete && fromSeconds >= this.durationSeconds - 0.01 ? 0 : fromSeconds;
    this.#isPlaying = true;
    this.#schedule = [];
    this.#pausedAtSeconds = start;
    this.#cursorSeconds = 0;
    let skip = Math.round(start * SAMPLE_RATE_HZ);
    this.#scheduledSamples = Math.min(skip, this.#samples);
    for (const chunk of this.#chunks) {
      if (skip >= chunk.length) {
        skip -= chunk.length;
        continue;
      }
      this.#enqueue(skip > 0 ? chunk.slice(skip) : chunk);
      skip = 0;
    }
    this.#notify();
  }

  pause(): void {
    if (!this.#isPlaying) return;
    this.#pausedAtSeconds = this.positionSeconds;
    this.#isPlaying = false;
    this.#stopSources();
    this.#notify();
  }

  toggle(): void {
    if (this.#isPlaying) this.pause();
    else this.play();
  }

  seek(seconds: number): void {
    const target = Math.min(Math.max(0, seconds), this.durationSeconds);
    if (this.#isPlaying) {
      this.play(target);
      return;
    }
    this.#pausedAtSeconds = target;
    this.#notify();
  }

  /** All samples so far. */
  samples(): Float32Array<ArrayBuffer> {
    const all = new Float32Array(this.#samples);
    let at = 0;
    for (const chunk of this.#chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    return all;
  }

  #enqueue(samples: Float32Array<ArrayBuffer>): void {
    const context = audioContext();
    const buffer = context.createBuffer(1, samples.length, SAMPLE_RATE_HZ);
    buffer.copyToChannel(samples, 0);
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.connect(context.destination);
    if (this.#cursorSeconds < context.currentTime) {
      this.#cursorSeconds = context.currentTime + START_LEAD_SECONDS;
      this.#schedule.push({
        atSeconds: this.#cursorSeconds,
        positionSeconds: this.#scheduledSamples / SAMPLE_RATE_HZ,
      });
    }
    source.start(this.#cursorSeconds);
    this.#cursorSeconds += buffer.duration;
    this.#scheduledSamples += samples.length;
    this.#sources.add(source);
    source.onended = () => {
      this.#sources.delete(source);
      if (this.#isPlaying && this.#isComplete && this.#sources.size === 0) this.#end();
    };
  }

  #end(): void {
    this.#isPlaying = false;
    this.#pausedAtSeconds = this.durationSeconds;
    this.#notify();
  }

  #stopSources(): void {
    for (const source of this.#sources) {
      source.onended = null;
      source.stop();
      source.disconnect();
    }
    this.#sources.clear();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Joins bytes of 16-bit PCM to samples; a chunk may end inside a sample. */
export class PcmDecoder {
  #rest: number | undefined;

  decode(bytes: Uint8Array): Float32Array<ArrayBuffer> {
    const joined = this.#rest === undefined ? bytes : Uint8Array.from([this.#rest, ...bytes]);
    const count = Math.floor(joined.length / 2);
    this.#rest = joined.length % 2 === 1 ? joined.at(-1) : undefined;
    const view = new DataView(joined.buffer, joined.byteOffset, joined.byteLength);
    const samples = new Float32Array(count);
    for (let index = 0; index < count; index++) samples[index] = view.getInt16(index * 2, true) / 32_768;
    return samples;
  }
}
