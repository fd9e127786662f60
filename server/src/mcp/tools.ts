import { createWriteStream, openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { type Mynah, play } from 'mynah';
import { z } from 'zod';

/** Maximum size of audio in a result or in an argument, before base64. */
const INLINE_AUDIO_MAX_BYTES = 8 * 1024 * 1024;
const INLINE_BASE64_MAX_CHARS = Math.ceil((INLINE_AUDIO_MAX_BYTES * 4) / 3) + 4;
const FILE_MAX_BYTES = 1024 * 1024 * 1024;
const TEXT_MAX_CHARS = 100_000;
const VOICES_DEFAULT = 50;
const VOICES_MAX = 500;
const RECORDINGS_MAX = 20;

const FORMATS = { mp3: 'audio/mpeg', wav: 'audio/wav', opus: 'audio/ogg', flac: 'audio/flac' } as const;
type Format = keyof typeof FORMATS;
const FORMAT_NAMES = Object.keys(FORMATS) as [Format, ...Format[]];

export interface ToolOptions {
  readonly client: Mynah;
  /** Whether the tools may read and write files of this machine and play audio on it. */
  readonly isLocal: boolean;
}

const VoiceField = z.string().max(200).optional().describe('Name or id of a voice; see list_voices.');
const LanguageField = z.string().max(50).optional();

/** Registers the tools: speak, transcribe, list_voices, clone_voice. */
export function addTools(server: McpServer, options: ToolOptions): void {
  addSpeak(server, options);
  addTranscribe(server, options);
  addListVoices(server, options);
  addCloneVoice(server, options);
}

function addSpeak(server: McpServer, { client, isLocal }: ToolOptions): void {
  const local = {
    path: z
      .string()
      .max(4096)
      .optional()
      .describe('File to write; its extension selects the format. Without it the audio is in the result.'),
    play: z.boolean().optional().describe('Play the audio on this machine instead of returning it.'),
  };
  server.registerTool(
    'speak',
    {
      title: 'Text to speech',
      description:
        'Turns text into speech. Cues such as [whispering] or [laugh] in the text change the delivery.',
      inputSchema: {
        text: z.string().min(1).max(TEXT_MAX_CHARS),
        voice: VoiceField,
        format: z.enum(FORMAT_NAMES).optional().describe('Default: that of the path, else mp3.'),
        speed: z.number().min(0.5).max(2).optional(),
        ...(isLocal ? local : {}),
      },
    },
    (input, { signal }) =>
      reportErrors(async () => {
        const { path, play: isPlayed } = input as { readonly path?: string; readonly play?: boolean };
        const format = input.format ?? formatOf(path);
        const audio = await client.textToSpeech.convert(
          {
            text: input.text,
            format,
            ...(input.voice !== undefined && { reference_id: input.voice }),
            ...(input.speed !== undefined && { prosody: { speed: input.speed } }),
          },
          { signal },
        );
        if (path !== undefined) {
          // `wx`: an existing file is not replaced.
          await pipeline(Readable.from(audio), createWriteStream(path, { flags: 'wx' }));
          return textResult(`Wrote ${path} (${(await stat(path)).size} bytes).`);
        }
        if (isPlayed) {
          await play(audio);
          return textResult('Played the audio.');
        }
        const bytes = await collect(audio);
        return {
          content: [{ type: 'audio', data: bytes.toString('base64'), mimeType: FORMATS[format] }],
        };
      }),
  );
}

function addTranscribe(server: McpServer, { client, isLocal }: ToolOptions): void {
  server.registerTool(
    'transcribe',
    {
      title: 'Speech to text',
      description: 'Turns a recording into text.',
      inputSchema: {
        ...recordingFields(isLocal),
        language: LanguageField.describe('Spoken language, such as `en`. Default: detected.'),
        diarize: z.boolean().optional().describe('Tell speakers apart.'),
      },
    },
    (input, { signal }) =>
      reportErrors(async () => {
        const audio = await toRecording(input, isLocal);
        const { language, diarize } = input;
        const request = {
          audio,
          ...(language !== undefined && { language }),
          ...(diarize && { model: 'transcribe-1-pro' }),
        };
        const { text, duration } = await client.speechToText.convert(request, { signal });
        return { ...textResult(text), structuredContent: { text, duration } };
      }),
  );
}

function addListVoices(server: McpServer, { client }: ToolOptions): void {
  server.registerTool(
    'list_voices',
    {
      title: 'List voices',
      description: 'Lists built-in voices and those of the account.',
      inputSchema: {
        title: z.string().max(200).optional().describe('Only voices whose title contains this text.'),
        language: LanguageField.describe('Only voices of this language.'),
        mine: z.boolean().optional().describe('Only voices of the account.'),
        limit: z.int().min(1).max(VOICES_MAX).optional(),
      },
      annotations: { readOnlyHint: true },
    },
    ({ title, language, mine, limit = VOICES_DEFAULT }, { signal }) =>
      reportErrors(async () => {
        const query = {
          ...(title !== undefined && { title }),
          ...(language !== undefined && { language }),
          ...(mine && { self: true }),
        };
        const voices: object[] = [];
        for await (const voice of client.voices.list(query, { signal })) {
          const { _id: id, title: name, languages, gender, description } = voice;
          voices.push({ id, title: name, languages, gender, description });
          if (voices.length === limit) break;
        }
        return { ...textResult(JSON.stringify(voices)), structuredContent: { voices } };
      }),
  );
}

function addCloneVoice(server: McpServer, { client, isLocal }: ToolOptions): void {
  server.registerTool(
    'clone_voice',
    {
      title: 'Clone a voice',
      description:
        'Creates a voice from recordings of one speaker, ten seconds or more. You need the right to use the voice.',
      inputSchema: {
        title: z.string().min(1).max(200),
        ...recordingListFields(isLocal),
      },
    },
    (input, { signal }) =>
      reportErrors(async () => {
        const { paths, audio_base64 } = input as {
          readonly paths?: readonly string[];
          readonly audio_base64?: readonly string[];
        };
        const recordings = paths
          ? await Promise.all(paths.map(openFile))
          : (audio_base64 ?? []).map(fromBase64);
        const voice = await client.voices.create({ title: input.title, voices: recordings }, { signal });
        const { _id: id, title, state } = voice;
        return {
          ...textResult(`Created the voice ${title} (${id}).`),
          structuredContent: { id, title, state },
        };
      }),
  );
}

function recordingListFields(isLocal: boolean): Record<string, z.ZodType> {
  const list = (item: z.ZodString) => z.array(item).min(1).max(RECORDINGS_MAX);
  return isLocal
    ? { paths: list(z.string().max(4096)).describe('Files with the recordings.') }
    : { audio_base64: list(z.string().max(INLINE_BASE64_MAX_CHARS)).describe('The recordings.') };
}

function recordingFields(isLocal: boolean): Record<string, z.ZodType> {
  return isLocal
    ? { path: z.string().max(4096).describe('File with the recording.') }
    : { audio_base64: z.string().max(INLINE_BASE64_MAX_CHARS).describe('The recording.') };
}

async function toRecording(input: object, isLocal: boolean): Promise<Blob> {
  // The schema has one of these fields, by `isLocal`.
  const { path, audio_base64 } = input as { readonly path: string; readonly audio_base64: string };
  return isLocal ? openFile(path) : fromBase64(audio_base64);
}

async function openFile(path: string): Promise<File> {
  const { size } = await stat(path);
  if (size > FILE_MAX_BYTES) throw new Error(`The file is larger than ${FILE_MAX_BYTES} bytes.`);
  return new File([await openAsBlob(path)], basename(path));
}

function fromBase64(text: string): File {
  return new File([Buffer.from(text, 'base64')], 'recording');
}

function formatOf(path: string | undefined): Format {
  const extension = extname(path ?? '')
    .slice(1)
    .toLowerCase();
  return FORMAT_NAMES.find((name) => name === extension) ?? (extension === 'ogg' ? 'opus' : 'mp3');
}

async function collect(audio: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of audio) {
    sizeBytes += chunk.length;
    if (sizeBytes > INLINE_AUDIO_MAX_BYTES) {
      throw new Error('The audio is too large for a result. Send a shorter text, or a path.');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function textResult(text: string): CallToolResult & { content: [{ type: 'text'; text: string }] } {
  return { content: [{ type: 'text', text }] };
}

/** Errors are results, so that the model reads them. */
async function reportErrors(work: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
    const prefix = typeof code === 'string' ? `${code}: ` : '';
    return { ...textResult(`${prefix}${String(message)}`), isError: true };
  }
}
