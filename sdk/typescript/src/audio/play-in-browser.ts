import { MynahError } from '../errors.ts';
import { readWav, type WavChunk } from './wav-stream.ts';

/** Audio to buffer ahead of playback; backpressure holds the rest at the server. */
const AHEAD_SECONDS = 60;
/** Minimum time between scheduling and start; a shorter one can start late. */
const LEAD_SECONDS = 0.05;
const LOOK_EVERY_MS = 100;

/**
 * Plays audio in a page while it arrives, and resolves at the end of playback: with MediaSource where it supports the
 * format, WAV with Web Audio, other formats when they are complete.
 */
export async function playInBrowser(audio: AsyncIterable<Uint8Array>, contentType: string): Promise<void> {
  const type = contentType.split(';')[0]!.trim();
  if (typeof MediaSource !== 'undefined' && MediaSource.isTypeSupported(type))
    await playStreamed(audio, type);
  else if (type === 'audio/wav') await playScheduled(audio);
  else await playElement(await collected(audio, type));
}

async function playStreamed(audio: AsyncIterable<Uint8Array>, type: string): Promise<void> {
  const source = new MediaSource();
  const element = new Audio();
  const end = new AbortController();
  const isOpen = new Promise((resolve) => source.addEventListener('sourceopen', resolve, { once: true }));
  const feed = async () => {
    await isOpen;
    const buffer = source.addSourceBuffer(type);
    for await (const chunk of audio) {
      if (end.signal.aborted) return;
      buffer.appendBuffer(chunk as Uint8Array<ArrayBuffer>);
      await new Promise((resolve) => buffer.addEventListener('updateend', resolve, { once: true }));
      while (secondsAhead(element) > AHEAD_SECONDS && !end.signal.aborted) await pause();
    }
    source.endOfStream();
  };
  try {
    // Rejects with the first failure, of the connection or of the browser.
    await Promise.all([feed(), playElement(source, element)]);
  } finally {
    end.abort();
    element.pause();
  }
}

function secondsAhead({ buffered, currentTime }: HTMLAudioElement): number {
  return buffered.length === 0 ? 0 : buffered.end(buffered.length - 1) - currentTime;
}

async function playElement(source: MediaSource | Blob, element = new Audio()): Promise<void> {
  const heard = new Promise<void>((resolve, reject) => {
    element.onended = () => resolve();
    element.onerror = () => reject(new MynahError('The browser cannot play this audio.'));
  });
  const url = URL.createObjectURL(source);
  try {
    element.src = url;
    await Promise.all([element.play(), heard]);
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Schedules each chunk of samples directly after the previous one. */
async function playScheduled(audio: AsyncIterable<Uint8Array>): Promise<void> {
  const context = new AudioContext();
  let endsAt = 0;
  try {
    for await (const chunk of readWav(audio)) {
      const startsAt = Math.max(endsAt, context.currentTime + LEAD_SECONDS);
      const node = context.createBufferSource();
      node.buffer = toBuffer(context, chunk);
      node.connect(context.destination);
      node.start(startsAt);
      endsAt = startsAt + node.buffer.duration;
      while (endsAt - context.currentTime > AHEAD_SECONDS) await pause();
    }
    while (context.currentTime < endsAt) await pause();
  } finally {
    await context.close();
  }
}

function toBuffer(context: AudioContext, { samples, channels, sampleRateHz }: WavChunk): AudioBuffer {
  const buffer = context.createBuffer(channels, samples.length / channels, sampleRateHz);
  for (let channel = 0; channel < channels; channel++) {
    buffer.getChannelData(channel).set(samples.filter((_, index) => index % channels === channel));
  }
  return buffer;
}

async function collected(audio: AsyncIterable<Uint8Array>, type: string): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of audio) chunks.push(chunk as Uint8Array<ArrayBuffer>);
  return new Blob(chunks, { type });
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
}
