import { extname } from 'node:path';
import { MynahError } from 'mynah';
import { findWireModel } from '../api/wire/wire-models.ts';
import { AUDIO_FORMATS, type AudioFormat } from '../audio/formats.ts';
import type { ClientContext } from './client-command.ts';
import { UsageError } from './command.ts';
import { findServer } from './server-address.ts';

/** Options of the commands that speak. */
export const SPEECH_OPTIONS = {
  output: { type: 'string', short: 'o' },
  voice: { type: 'string' },
  model: { type: 'string' },
} as const;

/** The extensions of audio files, for the help. */
export const AUDIO_EXTENSIONS = AUDIO_FORMATS.map((format) => `.${format}`).join(', ');

/** Awaits speech in voices that the user has named. An unknown voice is reported by its name instead of `reference_id`. */
export async function withNamedVoices<T>(
  voices: readonly (string | undefined)[],
  work: Promise<T>,
): Promise<T> {
  const named = [...new Set(voices.filter((voice) => voice !== undefined))];
  try {
    return await work;
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message: string };
    if (code !== 'voice_not_found' || named.length === 0) throw error;
    const quoted = named.map((voice) => `“${voice}”`);
    const problem =
      quoted.length === 1
        ? `There is no voice ${quoted[0]}`
        : `One of these voices does not exist: ${quoted.join(', ')}`;
    const hint = message.startsWith(UNKNOWN_VOICE)
      ? message.slice(UNKNOWN_VOICE.length).replace(/^\. ?/, ' ').trimEnd()
      : `: ${message}`;
    throw new MynahError(`${problem}.${hint} List the voices with mynah voices.`, { cause: error });
  }
}

/** How the message of an unknown voice begins, which is that of the public API. */
const UNKNOWN_VOICE = 'Reference not found';

/** Prints a warning when the speech is of another model than the one that was asked for: servers replace an unknown one. */
export function warnOfOtherModel(
  asked: string | undefined,
  used: string | undefined,
  stderr: { write(text: string): unknown },
): void {
  if (asked === undefined || used === undefined) return;
  // Spelled differently, or an alias.
  if (findWireModel(asked, { wireModels: { [used]: 'best' } }) === used) return;
  stderr.write(`Warning: there is no model “${asked}”; the speech is of the model ${used}.\n`);
}

/** A number in the limits; `name` is the option for the message. */
export function parseFactor(
  name: string,
  given: string | undefined,
  { min, max, absent }: { readonly min: number; readonly max: number; readonly absent: number },
): number {
  const factor = Number(given ?? absent);
  if (factor >= min && factor <= max) return factor;
  throw new UsageError(`${name} takes a number from ${min} to ${max}.`);
}

export function parseSpeed(given: string | undefined): number {
  return parseFactor('--speed', given, { min: 0.5, max: 2, absent: 1 });
}

export function requireOutput(output: string | undefined): string {
  if (output === undefined) throw new UsageError('An output file is required: -o FILE.');
  return output;
}

/** The extension of a path without its dot, which must be one of these. */
export function requireExtension<Extension extends string>(
  path: string,
  allowed: readonly Extension[],
): Extension {
  const found = allowed.find((extension) => extname(path).toLowerCase() === `.${extension}`);
  if (found !== undefined) return found;
  throw new UsageError(`${path} must end in ${allowed.map((each) => `.${each}`).join(' or ')}.`);
}

/** The output file, whose extension is its format. */
export function requireAudioFile(given: string | undefined): { output: string; format: AudioFormat } {
  const output = requireOutput(given);
  return { output, format: requireExtension(output, AUDIO_FORMATS) };
}

/** The server of the options, or one that runs on this machine. */
export async function requireServer(values: Parameters<typeof findServer>[0], context: ClientContext) {
  const server = await findServer(values, context);
  if (server === undefined) throw new UsageError('No server is running here; start one, or set --server.');
  return server;
}
