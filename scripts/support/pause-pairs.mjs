// The same words in one piece and in two, for the pauses of measure-voices.mjs.

import { DIST } from '../setup.mjs';
import { pauseLevel, pauseNear } from './phrasing-audio.mjs';

const { textToPieces } = await import(`${DIST}/src/text/front-end/text-to-pieces.js`);
const { joinPieces } = await import(`${DIST}/src/domain/speech/audio-pipeline.js`);
const { pauseAfterPiece } = await import(`${DIST}/src/domain/speech/piece-pause.js`);
const { PRECEDING_WORDS_MAX } = await import(`${DIST}/src/domain/speech/piece-synthesizer.js`);

const TARGET_LUFS = -16;

/**
 * Pauses after the first full stop or comma of a text, in seconds: within one piece, between two pieces, and as the rule has
 * it for the two pieces with `pauses`.
 */
export async function measurePair(engine, voice, text, pauses = voice.pauses) {
  const [piece, ...rest] = textToPieces(text, {
    ...{ language: voice.language, normalize: true, cueStyle: 'both' },
    ...{ chunkLength: 300, minChunkLength: 100, firstPieceLength: Number.POSITIVE_INFINITY },
  });
  if (rest.length > 0) throw new Error(`more than one piece: ${text}`);
  const count = piece.words.findIndex(({ after }) => /[.,]/.test(after)) + 1;
  const boundary = piece.words[count - 1].after.includes(',') ? 'clause' : 'sentence';
  const first = { ...piece, words: piece.words.slice(0, count), boundary };
  const second = { ...piece, words: piece.words.slice(count), boundary: 'end', index: 1 };
  const plan = {
    ...{ engine: engine.name, voice: { kind: 'named', name: voice.engineVoice } },
    ...{ language: voice.language, voiceLufs: voice.loudnessLufs, pauses },
  };
  const one = await render(engine, plan, [{ ...piece, boundary: 'end' }]);
  const two = await render(engine, plan, [first, second]);
  const [last, next] = [count - 1, count].map((index) => one.words.get(index));
  const rateHz = engine.sampleRateHz;
  const belowDb = pauseLevel(one.samples, rateHz);
  return {
    inside: pauseNear(one.samples, rateHz, { seconds: (last.endSeconds + next.startSeconds) / 2, belowDb }),
    between: pauseNear(two.samples, rateHz, { seconds: two.joinSeconds, belowDb }),
    rule: pauseAfterPiece(first, plan, second.words),
    first,
    second,
  };
}

/** The samples of pieces as the server joins them, the times of the words, and the end of the first piece with its pause. */
async function render(engine, plan, pieces) {
  const chunks = [];
  const words = new Map();
  let length = 0;
  let joinSeconds = 0;
  async function* events() {
    let preceding = [];
    for (const [index, piece] of pieces.entries()) {
      const { language, voice } = plan;
      const utterance = { words: piece.words, precedingWords: preceding, language, voice, speed: 1 };
      const { signal } = new AbortController();
      for await (const part of engine.speak({ ...utterance, seed: piece.index + 1 }, signal)) {
        for (const time of part.wordTimes ?? []) words.set(time.wordIndex, time);
        yield { kind: 'audio', piece, plan, source: { text: '', start: 0 }, part };
      }
      yield { kind: 'end', following: pieces[index + 1], piece, plan, source: { text: '', start: 0 } };
      if (piece.index === 0) joinSeconds = length / engine.sampleRateHz;
      preceding = piece.words.slice(-PRECEDING_WORDS_MAX);
    }
  }
  const loudness = { targetLufs: TARGET_LUFS };
  for await (const { samples } of joinPieces(events(), { speed: 1, volumeDb: 0, loudness })) {
    chunks.push(samples.slice());
    length += samples.length;
  }
  const joined = new Float32Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    joined.set(chunk, offset);
    offset += chunk.length;
  }
  return { samples: joined, words, joinSeconds };
}
