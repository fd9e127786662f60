import { createReadStream } from 'node:fs';
import { decodeAudio } from '../audio/decode/decode-audio.ts';
import { toMono } from '../audio/decode/mix-and-resample.ts';
import { DETECTION_RATE_HZ } from '../audio/watermark/chip-meter.ts';
import {
  FALSE_ALARM_PROBABILITY,
  type WatermarkDetection,
  WatermarkDetector,
} from '../audio/watermark/watermark-detector.ts';
import { openWatermarks } from '../compose/watermarks.ts';
import type { Watermarks } from '../domain/speech/watermarks.ts';
import { databaseOf, openDatabase } from '../infrastructure/sql/database.ts';
import { SqlKeyStore } from '../infrastructure/sql/sql-key-store.ts';
import { type CommandContext, parse, UsageError } from './command.ts';
import { explain } from './expected-errors.ts';
import { toJson } from './table.ts';

const HELP = `Usage: mynah watermark detect FILE… [--json]

Says of recordings whether they are speech that this server has marked, and for which account. It needs the
server’s own database. Of unmarked recordings, fewer than one in ${(1 / FALSE_ALARM_PROBABILITY).toLocaleString('en')} are taken for marked.

Speech is marked for the accounts that have it turned on; see mynah accounts.
`;

/** What is said about a file. */
interface Verdict {
  readonly file: string;
  readonly marked: boolean;
  readonly score: number;
  readonly score_min: number;
  /** Those whose mark it is; few accounts share one. */
  readonly accounts: readonly { readonly id: string; readonly name: string }[];
  readonly from_seconds?: number;
  readonly to_seconds?: number;
}

/** Runs `mynah watermark …` and returns the exit status: 0 done, 1 failed, 2 wrong usage. */
export async function runWatermarkCommand(args: string[], context: CommandContext): Promise<number> {
  const { stdout, stderr } = context;
  try {
    if (args[0] === '--help' || args[0] === '-h') {
      stdout.write(HELP);
      return 0;
    }
    const { values, positionals } = parse(args, { json: { type: 'boolean' } });
    const [command, ...files] = positionals;
    if (command !== 'detect' || files.length === 0) throw new UsageError('watermark takes detect and files.');
    const verdicts = await judge(files, context);
    stdout.write(values.json ? toJson(verdicts) : verdicts.map(describe).join(''));
    return 0;
  } catch (error) {
    const isUsage = error instanceof UsageError;
    stderr.write(isUsage ? `${error.message}\n\n${HELP}` : `${explain(error)}\n`);
    return isUsage ? 2 : 1;
  }
}

async function judge(files: readonly string[], { config }: CommandContext): Promise<Verdict[]> {
  const db = await openDatabase(databaseOf(config));
  try {
    const store = new SqlKeyStore(db);
    const watermarks = await openWatermarks(db, store);
    const accounts = await store.listAccounts();
    const verdicts: Verdict[] = [];
    for (const file of files) {
      const { isWatermarked, number, score, scoreMin, ...place } = await detect(
        file,
        watermarks,
        config.ffmpegPath,
      );
      const owners = accounts.filter(({ id }) => isWatermarked && watermarks.numberOf(id) === number);
      verdicts.push({
        file,
        marked: isWatermarked,
        score: rounded(score),
        score_min: rounded(scoreMin),
        accounts: owners.map(({ id, name }) => ({ id, name })),
        ...(isWatermarked && {
          from_seconds: rounded(place.startSeconds),
          to_seconds: rounded(place.endSeconds),
        }),
      });
    }
    return verdicts;
  } finally {
    await db.destroy();
  }
}

async function detect(
  file: string,
  { pattern }: Watermarks,
  ffmpegPath: string,
): Promise<WatermarkDetection> {
  const detector = new WatermarkDetector(pattern);
  const decoded = decodeAudio(createReadStream(file), { ffmpegPath });
  for await (const samples of toMono(decoded, DETECTION_RATE_HZ)) detector.push(samples);
  return detector.finish();
}

function describe({ file, marked, score, score_min, accounts, ...place }: Verdict): string {
  const measure = `score ${score}, marked from ${score_min} on`;
  if (!marked) return `${file}: not marked by this server (${measure})\n`;
  const names = accounts.map(({ id, name }) => `${id} (${name})`).join(' or ');
  const owner = names === '' ? 'for no account that is known here' : `for ${names}`;
  return `${file}: marked ${owner}, clearest from ${place.from_seconds} to ${place.to_seconds} s (${measure})\n`;
}

function rounded(value: number): number {
  return Math.round(100 * value) / 100;
}
