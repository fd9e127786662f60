import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { type AlignedWord, alignText } from '../../../../domain/transcription/align-text.ts';
import type { ApiDeps, TranscriptionDeps } from '../../../dependencies.ts';
import { meterTranscription } from '../../../metering/metered-transcription.ts';
import { single } from '../../../schemas/form-fields.ts';
import { addRecordingForms } from '../../../uploads/recording-form.ts';
import type { UploadedRecording } from '../../../uploads/uploaded-recording.ts';
import { roundToMs } from '../../../wire/round-to-ms.ts';

const TEXT_MAX_CHARS = 50_000;
/** The loss of a word that was not recognised. */
const LOSS_MAX = 5;

const AlignmentForm = z.object({
  audio: z.custom<UploadedRecording>((value) => value !== undefined, 'missing field `file`'),
  text: single(z.string().trim().min(1, '`text` must not be empty').max(TEXT_MAX_CHARS)),
});

/** ElevenLabs' `POST /v1/forced-alignment`: the times of the words of a given text. */
export const elevenLabsForcedAlignmentRoutes: FastifyPluginAsyncZod<
  TranscriptionDeps & Pick<ApiDeps, 'config' | 'accounting'>
> = async (app, deps) => {
  addRecordingForms(app, { ...deps, field: 'file' });
  app.post(
    '/v1/forced-alignment',
    {
      config: {
        keyHeader: 'xi-api-key',
        scope: 'asr',
        metering: { service: 'asr', modelOf: () => 'transcribe-1' },
      },
      schema: { hide: true, body: AlignmentForm },
    },
    async (request, reply) => {
      const { audio, text } = request.body;
      const options = {
        model: 'transcribe-1' as const,
        language: undefined,
        prompt: undefined,
        vocabulary: [],
        speakers: undefined,
      };
      await meterTranscription(
        deps,
        { request, reply },
        {
          options,
          audio,
          content: ['alignment', text],
          output: {
            kind: 'document',
            write: async ({ segments }) => {
              const words = await alignText(
                text,
                segments.flatMap((segment) => segment.words),
              );
              return { contentType: 'application/json; charset=utf-8', body: toResponseBody(text, words) };
            },
          },
        },
      );
    },
  );
};

function toResponseBody(text: string, words: readonly AlignedWord[]) {
  const losses = words.map(lossOf);
  return {
    characters: [...characterTimes(text, words)],
    words: words.map((word, index) => ({
      text: word.text,
      start: roundToMs(word.startSeconds),
      end: roundToMs(word.endSeconds),
      loss: losses[index]!,
    })),
    loss: losses.reduce((sum, loss) => sum + loss, 0) / Math.max(1, losses.length),
  };
}

function lossOf({ confidence }: AlignedWord): number {
  return Math.min(LOSS_MAX, -Math.log(Math.max(confidence, Math.exp(-LOSS_MAX))));
}

/** The time of a word divided evenly among its characters; that of the characters between two words is the gap. */
function* characterTimes(text: string, words: readonly AlignedWord[]) {
  let at = 0;
  let fromSeconds = 0;
  for (const word of words) {
    yield* divide(text.slice(at, word.start), fromSeconds, word.startSeconds);
    yield* divide(word.text, word.startSeconds, word.endSeconds);
    at = word.start + word.text.length;
    fromSeconds = word.endSeconds;
  }
}

function* divide(part: string, fromSeconds: number, toSeconds: number) {
  const characters = [...part];
  const share = Math.max(0, toSeconds - fromSeconds) / Math.max(1, characters.length);
  for (const [index, character] of characters.entries()) {
    const start = fromSeconds + index * share;
    yield { text: character, start: roundToMs(start), end: roundToMs(start + share) };
  }
}
