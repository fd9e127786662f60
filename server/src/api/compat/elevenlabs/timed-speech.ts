import type { TimedAudio } from '../../../domain/speech/timing/timed-audio.ts';
import { TimingWriter } from '../../responses/timed-events.ts';
import { toBase64Chunks } from '../base64-chunks.ts';
import { CharacterTimeline, type CharacterTimes, joinTimes } from '../character-times.ts';
import type { ResponseFormat } from '../metered-compat-speech.ts';

/** One JSON object with the audio file and the times of all characters, streamed during synthesis. */
export const JSON_WITH_TIMESTAMPS: ResponseFormat = {
  contentType: 'application/json; charset=utf-8',
  write: writeJson,
};

/** One JSON object per line, with the next audio and the times of further characters. */
export const NDJSON_WITH_TIMESTAMPS: ResponseFormat = {
  contentType: 'application/x-ndjson; charset=utf-8',
  write: writeLines,
};

async function* writeJson(body: AsyncIterable<TimedAudio>, text: string): AsyncGenerator<Uint8Array> {
  const timings = new TimingWriter();
  const timeline = new CharacterTimeline(text);
  const known: (CharacterTimes | undefined)[] = [];
  const audio = async function* () {
    for await (const timed of body) {
      known.push(timeline.add(timings.write(timed)));
      yield timed.audio;
    }
  };
  yield Buffer.from('{"audio_base64":"');
  for await (const part of toBase64Chunks(audio())) yield Buffer.from(part);
  const alignment = JSON.stringify(toWireTimes(joinTimes([...known, timeline.finish()])));
  yield Buffer.from(`","alignment":${alignment},"normalized_alignment":${alignment}}`);
}

async function* writeLines(body: AsyncIterable<TimedAudio>, text: string): AsyncGenerator<Uint8Array> {
  const timings = new TimingWriter();
  const timeline = new CharacterTimeline(text);
  for await (const timed of body) yield toLine(timed.audio, timeline.add(timings.write(timed)));
  const last = timeline.finish();
  if (last !== undefined) yield toLine(new Uint8Array(0), last);
}

function toLine(audio: Uint8Array, times: CharacterTimes | undefined): Uint8Array {
  const alignment = times === undefined ? null : toWireTimes(times);
  const line = {
    audio_base64: Buffer.from(audio).toString('base64'),
    alignment,
    normalized_alignment: alignment,
  };
  return Buffer.from(`${JSON.stringify(line)}\n`);
}

function toWireTimes({ characters, startSeconds, endSeconds }: CharacterTimes) {
  return {
    characters,
    character_start_times_seconds: startSeconds,
    character_end_times_seconds: endSeconds,
  };
}
