import { readFile } from 'node:fs/promises';
import { Mynah, save } from 'mynah';
import {
  type ClientContext,
  EXIT_CODES_HELP,
  runClientCommand,
  SERVER_HELP,
  SERVER_OPTIONS,
} from '../client-command.ts';
import { parse, requireOne, UsageError } from '../command.ts';
import {
  AUDIO_EXTENSIONS,
  parseFactor,
  requireAudioFile,
  requireServer,
  SPEECH_OPTIONS,
  warnOfOtherModel,
  withNamedVoices,
} from '../speech-options.ts';

const HELP = `Usage: mynah dub [option…] CAPTIONS -o FILE

Speaks the captions of an .srt or .vtt file at their times, on a server: that of --server, else one that runs on this
machine.

  -o, --output FILE       The audio file: ${AUDIO_EXTENSIONS}.
  --voice NAME            Name or id of a voice; see mynah voices.
  --speaker NAME=VOICE    The voice of a speaker in the captions; may be repeated.
  --max-speed FACTOR      Maximum speaking rate of captions that need one, 1 to 2 (default 1.3).
  --model MODEL           Such as s1.
${SERVER_HELP}

${EXIT_CODES_HELP}
`;

/** Runs `mynah dub …` and returns the exit status. */
export function runDubCommand(args: string[], context: ClientContext): Promise<number> {
  return runClientCommand(args, context, { help: HELP, run: dub });
}

async function dub(args: string[], context: ClientContext): Promise<number> {
  const { values, positionals } = parse(args, {
    ...SPEECH_OPTIONS,
    speaker: { type: 'string', multiple: true },
    'max-speed': { type: 'string' },
    ...SERVER_OPTIONS,
  });
  const path = requireOne(positionals, 'the path of a caption file');
  const { output, format } = requireAudioFile(values.output);
  const request = {
    captions: await readFile(path, 'utf8'),
    format,
    model: values.model,
    reference_id: values.voice,
    speakers: Object.fromEntries((values.speaker ?? []).map(parseSpeaker)),
    max_speed: parseFactor('--max-speed', values['max-speed'], { min: 1, max: 2, absent: 1.3 }),
  };
  const server = await requireServer(values, context);
  const { signal } = context;
  const voices = [values.voice, ...Object.values(request.speakers)];
  const audio = await withNamedVoices(voices, new Mynah({ ...server }).textToSpeech.dub(request, { signal }));
  warnOfOtherModel(values.model, audio.facts.model, context.stderr);
  await save(audio, output);
  return 0;
}

function parseSpeaker(given: string): [string, string] {
  const [, name, voice] = /^([^=]+)=(.+)$/.exec(given) ?? [];
  if (voice === undefined) throw new UsageError('--speaker takes a name and a voice, such as Ann=bf_emma.');
  return [name!, voice];
}
