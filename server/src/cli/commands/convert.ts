import { openAsBlob } from 'node:fs';
import { Mynah, save } from 'mynah';
import {
  type ClientContext,
  EXIT_CODES_HELP,
  runClientCommand,
  SERVER_HELP,
  SERVER_OPTIONS,
} from '../client-command.ts';
import { parse, requireOne } from '../command.ts';
import {
  AUDIO_EXTENSIONS,
  requireAudioFile,
  requireServer,
  SPEECH_OPTIONS,
  warnOfOtherModel,
  withNamedVoices,
} from '../speech-options.ts';

const HELP = `Usage: mynah convert [option…] RECORDING -o FILE

Speaks a recording with another voice (speech to speech), on a server: that of --server, else one that runs on this
machine. The words keep their times and their melody; sounds without words are lost.

  -o, --output FILE       The audio file: ${AUDIO_EXTENSIONS}.
  --voice NAME            Name or id of the new voice; see mynah voices.
  --no-keep-pitch         Speak with the melody of the new voice instead of that of the recording.
  --language LANGUAGE     The spoken language, such as en. Default: detected.
  --model MODEL           Such as s1.
${SERVER_HELP}

${EXIT_CODES_HELP}
`;

/** Runs `mynah convert …` and returns the exit status. */
export function runConvertCommand(args: string[], context: ClientContext): Promise<number> {
  return runClientCommand(args, context, { help: HELP, run: convert });
}

async function convert(args: string[], context: ClientContext): Promise<number> {
  const { values, positionals } = parse(args, {
    ...SPEECH_OPTIONS,
    'no-keep-pitch': { type: 'boolean' },
    language: { type: 'string' },
    ...SERVER_OPTIONS,
  });
  const path = requireOne(positionals, 'the path of a recording');
  const { output, format } = requireAudioFile(values.output);
  const request = {
    format,
    // The file is read while it is sent.
    audio: await openAsBlob(path),
    model: values.model,
    reference_id: values.voice,
    language: values.language,
    keep_pitch: values['no-keep-pitch'] !== true,
  };
  const server = await requireServer(values, context);
  const { signal } = context;
  const { textToSpeech } = new Mynah({ ...server });
  const audio = await withNamedVoices([values.voice], textToSpeech.convertSpeech(request, { signal }));
  warnOfOtherModel(values.model, audio.facts.model, context.stderr);
  await save(audio, output);
  return 0;
}
