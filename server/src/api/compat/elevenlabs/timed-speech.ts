import { TimeSlice } from '../../../domain/speech/time-slice.ts';
import type { TimedAudio } from '../../../domain/speech/timing/timed-audio.ts';
import { TimingWriter } from '../../responses/timed-events.ts';
import { toBase64Chunks } from '../base64-chunks.ts';
import { CharacterTimeline, type CharacterTimes } from '../character-times.ts';
import type { ResponseFormat, ResponseText } from '../metered-compat-speech.ts';

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

const FIELDS: readonly (readonly [string, keyof CharacterTimes])[] = [
  ['characters', 'characters'],
  ['character_start_times_seconds', 'startSeconds'],
  ['character_end_times_seconds', 'endSeconds'],
];

async function* writeJson(
  body: AsyncIterable<TimedAudio>,
  { text, owner }: ResponseText,
): AsyncGenerator<Uint8Array> {
  const timings = new TimingWriter();
  const timeline = new CharacterTimeline(text);
  const slice = new TimeSlice(owner);
  const spans: CharacterTimes[] = [];
  const keep = async (times: Iterable<CharacterTimes>) => {
    for (const span of times) {
      spans.push(span);
      if (slice.isOver) await slice.next();
    }
  };
  const audio = async function* () {
    for await (const timed of body) {
      await keep(timeline.add(timings.write(timed)));
      yield timed.audio;
    }
  };
  yield Buffer.from('{"audio_base64":"');
  for await (const part of toBase64Chunks(audio())) yield Buffer.from(part);
  await keep(timeline.finish());
  yield Buffer.from('"');
  for (const name of ['alignment', 'normalized_alignment']) {
    yield Buffer.from(`,"${name}":`);
    for (const part of alignmentJson(spans)) {
      if (slice.isOver) await slice.next();
      yield Buffer.from(part);
    }
  }
  yield Buffer.from('}');
}

async function* writeLines(
  body: AsyncIterable<TimedAudio>,
  { text, owner }: ResponseText,
): AsyncGenerator<Uint8Array> {
  const timings = new TimingWriter();
  const timeline = new CharacterTimeline(text);
  const slice = new TimeSlice(owner);
  for await (const timed of body) {
    let { audio } = timed;
    let hasLine = false;
    for (const span of timeline.add(timings.write(timed))) {
      if (slice.isOver) await slice.next();
      yield toLine(audio, span);
      audio = NO_BYTES;
      hasLine = true;
    }
    if (!hasLine) yield toLine(audio, undefined);
  }
  for (const span of timeline.finish()) {
    if (slice.isOver) await slice.next();
    yield toLine(NO_BYTES, span);
  }
}

const NO_BYTES = new Uint8Array(0);

function toLine(audio: Uint8Array, span: CharacterTimes | undefined): Uint8Array {
  const alignment = span === undefined ? 'null' : [...alignmentJson([span])].join('');
  const audioBase64 = Buffer.from(audio).toString('base64');
  return Buffer.from(
    `{"audio_base64":"${audioBase64}","alignment":${alignment},"normalized_alignment":${alignment}}\n`,
  );
}

/** Length from which a part of the JSON is yielded. */
const PART_CHARS = 16_384;

/** The JSON of an alignment, in parts. */
function* alignmentJson(spans: readonly CharacterTimes[]): Generator<string> {
  let part = '{';
  for (const [index, [name, values]] of FIELDS.entries()) {
    part += `${index > 0 ? ',' : ''}"${name}":[`;
    for (const [position, span] of spans.entries()) {
      part += (position > 0 ? ',' : '') + JSON.stringify(span[values]).slice(1, -1);
      if (part.length < PART_CHARS) continue;
      yield part;
      part = '';
    }
    part += ']';
  }
  yield `${part}}`;
}
