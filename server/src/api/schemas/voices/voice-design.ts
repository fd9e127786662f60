import { z } from 'zod';
import { ASPECTS } from '../../../domain/voices/design/voice-description.ts';
import type { DesignCandidate, VoiceDesign } from '../../../domain/voices/design/voice-designer.ts';

const INSTRUCTION_MAX = 2000;
const TEXT_MAX = 300;
const CANDIDATES_MAX = 4;

/** The body of `POST /v1/voice-design`. Null is equivalent to an absent field; unknown fields are rejected. */
export const VoiceDesignRequestSchema = z
  .strictObject({
    instruction: z
      .string()
      .trim()
      .min(1, 'instruction must not be empty')
      .max(INSTRUCTION_MAX)
      .describe('Description of the voice in English: gender, age, pitch, speaking rate, tone, intonation.'),
    reference_text: z
      .string()
      .trim()
      .max(TEXT_MAX)
      .nullish()
      .describe(
        'The text of the samples, in English; charged like speech, once for each candidate. Default: a standard sentence, which is included in the price of the design.',
      ),
    language: z.string().max(35).nullish().describe('A BCP 47 tag. Voices are designed for English only.'),
    n: z.int().min(1).max(CANDIDATES_MAX).nullish().meta({ default: 2 }).describe('Number of candidates.'),
    speed: z
      .number()
      .positive()
      .max(3)
      .nullish()
      .meta({ default: 1 })
      .describe('Speaking rate, multiplied by that of the description; the product is clamped to 0.5 … 2.'),
    num_step: z.int().min(1).max(128).nullish().describe('Accepted and ignored.'),
    guidance_scale: z.number().min(0).nullish().describe('Accepted and ignored.'),
    instruct_guidance_scale: z.number().min(0).nullish().describe('Accepted and ignored.'),
    seed: z.int().nullish().describe('Two equal requests with a seed give equal candidates.'),
  })
  .meta({ id: 'VoiceDesignRequest' });

const word = z.string().nullable();

const VoiceFeaturesSchema = z
  .object({
    gender: z.enum(['female', 'male', 'unknown']).describe('As measured.'),
    age: word,
    pitch: word,
    tone: word,
    emotion: word,
    pacing: word,
    accent: word,
    loudness: word,
    reverb: word,
    speed_factor: z
      .number()
      .describe('The speaking rate of the audio. Use it as `prosody.speed` to reproduce it.'),
    pitch_hz: z
      .number()
      .nullable()
      .describe(
        'Extension: measured median pitch of a neutral sentence; greetings and questions are higher.',
      ),
    description: z.string(),
  })
  .meta({
    id: 'VoiceFeatures',
    description: 'The features of the voice: gender and pitch as measured, the others as requested.',
  });

/** The response of `POST /v1/voice-design`. */
export const VoiceDesignResponseSchema = z
  .object({
    candidates: z.array(
      z.object({
        id: z.string(),
        index: z.int(),
        audio_base64: z.string().describe('A complete WAV file.'),
        sample_rate: z.int(),
        duration_ms: z.int(),
        text: z.string(),
        instruct: z.string(),
        language: z.string(),
        features: VoiceFeaturesSchema,
        audio_token_sha256: z.string().describe('SHA-256 of the WAV file.'),
        signature: z.string().describe('Send it with the WAV file to `POST /model` to store this voice.'),
      }),
    ),
    seed: z.int().describe('Extension: send it to get the same candidates again.'),
    understood: z.array(z.string()).describe('Extension: the words of the instruction that were applied.'),
    ignored: z.array(z.string()).describe('Extension: the words of the instruction that were ignored.'),
  })
  .meta({ id: 'VoiceDesign' });

export type VoiceDesignResponse = z.output<typeof VoiceDesignResponseSchema>;

/** A voice design on the wire. */
export function toVoiceDesignResponse(design: VoiceDesign, instruct: string): VoiceDesignResponse {
  const { text, seed, description, candidates } = design;
  return {
    candidates: candidates.map((candidate, index) => ({
      id: candidate.id,
      index,
      audio_base64: Buffer.from(candidate.wav).toString('base64'),
      sample_rate: candidate.sampleRateHz,
      duration_ms: candidate.durationMs,
      text,
      instruct,
      language: 'en',
      features: featuresOf(candidate, design),
      audio_token_sha256: candidate.sha256,
      signature: candidate.signature,
    })),
    seed,
    understood: [...description.understood],
    ignored: [...description.ignored],
  };
}

function featuresOf({ voice, speedFactor }: DesignCandidate, { description }: VoiceDesign) {
  const { aspects, ignored } = description;
  const pitchHz = voice.measures.pitch_hz;
  const requested = ASPECTS.filter((aspect) => aspect !== 'gender').flatMap(
    (aspect) => aspects[aspect] ?? [],
  );
  const sentences = [
    [voice.gender, ...(pitchHz === undefined ? [] : [`${Math.round(pitchHz)} Hz`]), ...requested].join(', '),
    ...(ignored.length > 0 ? [`not followed: ${ignored.join(', ')}`] : []),
  ];
  const word = (aspect: (typeof ASPECTS)[number]) => aspects[aspect] ?? null;
  return {
    gender: voice.gender,
    age: word('age'),
    pitch: word('pitch'),
    tone: word('tone'),
    emotion: word('emotion'),
    pacing: word('pacing'),
    accent: word('accent'),
    loudness: word('loudness'),
    reverb: word('reverb'),
    speed_factor: speedFactor,
    pitch_hz: pitchHz ?? null,
    description: sentences.join('; '),
  };
}
