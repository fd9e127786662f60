import type { FileFormat } from './download-take.ts';

export interface CodeRequest {
  readonly text: string;
  readonly voiceId: string | undefined;
  readonly model: string;
  readonly speed: number;
  readonly volume: number;
  readonly format?: FileFormat | undefined;
}

export interface CodeSample {
  readonly id: string;
  readonly label: string;
  readonly code: string;
}

const DEFAULT_FORMAT = 'mp3';

function fileOf({ format = DEFAULT_FORMAT }: CodeRequest): string {
  return `speech.${format === 'opus' ? 'ogg' : format}`;
}

/** The same request as programs. They read the key from the environment variable MYNAH_API_KEY. */
export function codeSamples(request: CodeRequest, origin: string): readonly CodeSample[] {
  return [
    { id: 'curl', label: 'curl', code: curl(request, origin) },
    { id: 'typescript', label: 'TypeScript', code: typescript(request, origin) },
    { id: 'python', label: 'Python', code: python(request, origin) },
  ];
}

function bodyOf({
  text,
  voiceId,
  speed,
  volume,
  format = DEFAULT_FORMAT,
}: CodeRequest): Record<string, unknown> {
  const prosody = { ...(speed !== 1 && { speed }), ...(volume !== 0 && { volume }) };
  return {
    text,
    ...(voiceId !== undefined && { reference_id: voiceId }),
    ...(Object.keys(prosody).length > 0 && { prosody }),
    format,
  };
}

function curl(request: CodeRequest, origin: string): string {
  const body = JSON.stringify(bodyOf(request)).replaceAll("'", "'\\''");
  return [
    `curl --fail-with-body -sS ${origin}/v1/tts \\`,
    `  -H "Authorization: Bearer $MYNAH_API_KEY" -H "model: ${request.model}" \\`,
    `  -H "Content-Type: application/json" --output ${fileOf(request)} \\`,
    `  -d '${body}'`,
  ].join('\n');
}

function typescript(request: CodeRequest, origin: string): string {
  const body = JSON.stringify({ model: request.model, ...bodyOf(request) }, null, 2);
  return [
    `import { Mynah } from 'mynah';`,
    '',
    `const mynah = new Mynah({ baseUrl: '${origin}' });`,
    `const audio = await mynah.textToSpeech.convert(${body});`,
    `await audio.toFile('${fileOf(request)}');`,
  ].join('\n');
}

function python(request: CodeRequest, origin: string): string {
  // JSON without true, false and null is also a Python literal.
  const body = JSON.stringify(bodyOf(request), null, 4);
  return [
    'import os',
    'import urllib.request, json',
    '',
    `body = ${body}`,
    `request = urllib.request.Request("${origin}/v1/tts", json.dumps(body).encode(), {`,
    '    "Authorization": "Bearer " + os.environ["MYNAH_API_KEY"],',
    '    "Content-Type": "application/json",',
    `    "model": "${request.model}",`,
    '})',
    `with urllib.request.urlopen(request) as response, open("${fileOf(request)}", "wb") as file:`,
    '    file.write(response.read())',
  ].join('\n');
}
