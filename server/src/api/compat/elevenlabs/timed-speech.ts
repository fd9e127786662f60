import type { TimedAudio } from '../../../domain/speech/timing/timed-audio.ts';
import { TimingWriter } from '../../responses/timed-events.ts';
import { base64Parts } from '../base64-stream.ts';
import { CharacterClock, type CharacterTimes, joinTimes } from '../character-times.ts';
import type { TimedAnswer } from '../compat-speech.ts';

/** One object with the whole file and the times of all characters, written while the audio is made. */
export const TIMED_WHOLE: TimedAnswer = {
  contentType: 'application/json; charset=utf-8',
  write: writeWhole,
};

/** A JSON object on each line, with the next audio and the characters whose times are new. */
export const TIMED_LINES: TimedAnswer = {
  contentType: 'application/x-ndjson; charset=utf-8',
  write: writeLines,
};

async function* writeWhole(body: AsyncIterable<TimedAudio>, text: string): AsyncGenerator<Uint8Array> {
  const timings = new TimingWriter();
  const clock = new CharacterClock(() => text);
  const known: (CharacterTimes | undefined)[] = [];
  const audio = async function* () {
    for await (const timed of body) {
      known.push(clock.add(timings.write(timed)));
      yield timed.audio;
    }
  };
  yield Buffer.from('{"audio_base64":"');
  for await (const part of base64Parts(audio())) yield Buffer.from(part);
  const alignment = JSON.stringify(toWireTimes(joinTimes([...known, clock.finish()])));
  yield Buffer.from(`","alignment":${alignment},"normalized_alignment":${alignment}}`);
}

async function* writeLines(body: AsyncIterable<TimedAudio>, text: string): AsyncGenerator<Uint8Array> {
  const timings = new TimingWriter();
  const clock = new CharacterClock(() => text);
  for await (const timed of body) yield toLine(timed.audio, clock.add(timings.write(timed)));
  const last = clock.finish();
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
