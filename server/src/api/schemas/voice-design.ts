import { z } from 'zod';
import { ASPECTS } from '../../domain/voices/design/voice-description.ts';
import type { DesignCandidate, VoiceDesign } from '../../domain/voices/design/voice-designer.ts';

const INSTRUCTION_MAX = 2000;
const TEXT_MAX = 300;
const CANDIDATES_MAX = 4;

/** The body of `POST /v1/voice-design`. Null is as good as absent for every optional field; unknown ones are refused. */
export const VoiceDesignRequestSchema = z
  .strictObject({
    instruction: z
      .string()
      .trim()
      .min(1, 'instruction must not be empty')
      .max(INSTRUCTION_MAX)
      .describe('The voice in plain English: gender, age, pitch, pace, tone, melody.'),
    reference_text: z
      .string()
      .trim()
      .max(TEXT_MAX)
      .nullish()
      .describe('What the candidates say, in English. Absent: a sentence of ours.'),
    language: z.string().max(35).nullish().describe('A BCP 47 tag. Voices are designed for English only.'),
    n: z.int().min(1).max(CANDIDATES_MAX).nullish().meta({ default: 2 }).describe('How many candidates.'),
    speed: z
      .number()
      .positive()
      .max(3)
      .nullish()
      .meta({ default: 1 })
      .describe('Pace on top of what the description asks for; the two together are held to 0.5 … 2.'),
    num_step: z.int().min(1).max(128).nullish().describe('Accepted for compatibility.'),
    guidance_scale: z.number().min(0).nullish().describe('Accepted for compatibility.'),
    instruct_guidance_scale: z.number().min(0).nullish().describe('Accepted for compatibility.'),
    seed: z.int().nullish().describe('Two equal requests with a seed give equal candidates.'),
  })
  .meta({ id: 'VoiceDesignRequest' });

const word = z.string().nullable();

const VoiceFeaturesSchema = z
  .object({
    gender: z.enum(['female', 'male', 'unknown']).describe('As it is heard in the voice.'),
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
      .describe('The pace of the audio. Speak with `prosody.speed` of this to keep it.'),
    pitch_hz: z
      .number()
      .nullable()
      .describe('Ours: the pitch of a plain sentence, as measured; greetings and questions are said higher.'),
    description: z.string(),
  })
  .meta({
    id: 'VoiceFeatures',
    description:
      'What the voice is like: gender and pitch as measured, the rest as it was asked for and followed.',
  });

/** The answer of `POST /v1/voice-design`. */
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
        signature: z.string().describe('Send it with the WAV file to `POST /model` to keep this very voice.'),
      }),
    ),
    seed: z.int().describe('Ours: send it to get these candidates again.'),
    understood: z.array(z.string()).describe('Ours: the words of the instruction that were followed.'),
    ignored: z.array(z.string()).describe('Ours: its words that were not: unknown here, or not possible.'),
  })
  .meta({ id: 'VoiceDesign' });

export type VoiceDesignResponse = z.output<typeof VoiceDesignResponseSchema>;

/** A design the way clients know it. */
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
  const asked = ASPECTS.filter((aspect) => aspect !== 'gender').flatMap((aspect) => aspects[aspect] ?? []);
  const sentences = [
    [voice.gender, ...(pitchHz === undefined ? [] : [`${Math.round(pitchHz)} Hz`]), ...asked].join(', '),
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
