import { createReadStream } from 'node:fs';
import { decodeAudio } from '../../audio/decode/decode-audio.ts';
import { toMono } from '../../audio/decode/mix-and-resample.ts';
import { DETECTION_RATE_HZ } from '../../audio/watermark/chip-meter.ts';
import {
  FALSE_ALARM_PROBABILITY,
  type WatermarkDetection,
  WatermarkDetector,
} from '../../audio/watermark/watermark-detector.ts';
import { openWatermarks } from '../../compose/watermarks.ts';
import type { Watermarks } from '../../domain/speech/watermarks.ts';
import { SqlKeyStore } from '../../infrastructure/sql/sql-key-store.ts';
import { type CommandContext, parse, UsageError } from '../command.ts';
import { explain } from '../expected-errors.ts';
import { openLocalDatabase } from '../local-database.ts';
import { toJson } from '../table.ts';

const HELP = `Usage: mynah watermark detect FILE… [--json]

Detects the watermark of this server in recordings, and the account it belongs to. Needs the database of the server.
The false positive rate is below one in ${(1 / FALSE_ALARM_PROBABILITY).toLocaleString('en')}.

Watermarks are enabled by account; see mynah accounts.
`;

/** The result for a file. The names of the fields are part of `--json`. */
interface FileResult {
  readonly file: string;
  readonly marked: boolean;
  readonly score: number;
  readonly score_min: number;
  /** The accounts with this watermark; rarely more than one. */
  readonly accounts: readonly { readonly id: string; readonly name: string }[];
  readonly from_seconds?: number;
  readonly to_seconds?: number;
}

/** Runs `mynah watermark …` and returns the exit status: 0 success, 1 failure, 2 wrong usage. */
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
    const results = await detectAll(files, context);
    stdout.write(values.json ? toJson(results) : results.map(describe).join(''));
    return 0;
  } catch (error) {
    const isUsage = error instanceof UsageError;
    stderr.write(isUsage ? `${error.message}\n\n${HELP}` : `${explain(error)}\n`);
    return isUsage ? 2 : 1;
  }
}

async function detectAll(
  files: readonly string[],
  { config, stderr }: CommandContext,
): Promise<FileResult[]> {
  const db = await openLocalDatabase(config, { stderr });
  try {
    const store = new SqlKeyStore(db);
    const watermarks = await openWatermarks(db, store);
    const accounts = await store.listAccounts();
    const results: FileResult[] = [];
    for (const file of files) {
      const { isWatermarked, number, score, scoreMin, ...place } = await detect(
        file,
        watermarks,
        config.ffmpegPath,
      );
      const owners = accounts.filter(({ id }) => isWatermarked && watermarks.numberOf(id) === number);
      results.push({
        file,
        marked: isWatermarked,
        score: round(score),
        score_min: round(scoreMin),
        accounts: owners.map(({ id, name }) => ({ id, name })),
        ...(isWatermarked && {
          from_seconds: round(place.startSeconds),
          to_seconds: round(place.endSeconds),
        }),
      });
    }
    return results;
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

function describe({ file, marked, score, score_min, accounts, ...place }: FileResult): string {
  const measure = `score ${score}, threshold ${score_min}`;
  if (!marked) return `${file}: no watermark of this server (${measure})\n`;
  const names = accounts.map(({ id, name }) => `${id} (${name})`).join(' or ');
  const owner = names === '' ? 'an unknown account' : names;
  return `${file}: watermark of ${owner}, best match from ${place.from_seconds} to ${place.to_seconds} s (${measure})\n`;
}

function round(value: number): number {
  return Math.round(100 * value) / 100;
}
