import { builtInVoices } from '../voice-list.ts';
import { formatTable } from './table.ts';

export interface VoicesCommandContext {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

const HELP = `Usage: mynah voices [--json]

Lists the built-in voices. Use a name or an id as reference_id.
`;

/** Runs `mynah voices …` and returns the exit status. */
export function runVoicesCommand(args: readonly string[], { stdout, stderr }: VoicesCommandContext): number {
  const [option] = args;
  if (option === '--help' || option === '-h') {
    stdout.write(HELP);
    return 0;
  }
  if (args.length > 1 || (option !== undefined && option !== '--json')) {
    stderr.write(HELP);
    return 2;
  }
  const voices = builtInVoices().filter((voice) => voice.isListed);
  if (option === '--json') {
    const shown = voices.map(({ id, name, title, description, engine, locale, gender }) => ({
      id,
      name,
      title,
      description,
      engine,
      locale,
      gender,
    }));
    stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
    return 0;
  }
  const rows = voices.map(({ name, title, locale, gender, engine, id }) => [
    name,
    title,
    locale,
    gender,
    engine,
    id,
  ]);
  stdout.write(formatTable(['NAME', 'TITLE', 'LANGUAGE', 'GENDER', 'ENGINE', 'ID'], rows));
  return 0;
}
