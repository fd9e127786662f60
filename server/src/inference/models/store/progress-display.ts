import type { SourceKind } from '../catalogue/model.ts';
import type { ModelProgress, ProgressListener } from './model-progress.ts';

/** The output of the progress: a terminal, a file or a pipe. */
export interface ProgressOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Displays the progress of installations on one output. */
export interface ProgressDisplay {
  readonly show: ProgressListener;
  /** Ends the line that is being redrawn, so that other text can follow. */
  finish(): void;
}

const REDRAW_MS = 100;
const LINE_EVERY_MS = 5_000;
const LINE_EVERY_SHARE = 0.1;
/** Minimum interval of two lines. */
const LINE_PAUSE_MS = 1_000;
const RATE_WINDOW_MS = 5_000;
const BAR_WIDTH = { min: 5, max: 30 };

const SOURCE_NAMES: Record<SourceKind, string> = {
  'built-in': 'the program',
  local: 'the local folder',
  npm: 'npm',
  hub: 'the hub',
  pip: 'the Python package index',
};

type FetchProgress = Extract<ModelProgress, { phase: 'fetching' }>;

/**
 * Displays name, percentage, size, rate and remaining time: on a terminal in one line that is redrawn, otherwise
 * with a line every five seconds or ten per cent.
 */
export function createProgressDisplay(
  output: ProgressOutput,
  nowMs: () => number = () => performance.now(),
): ProgressDisplay {
  let meter = createRateMeter(nowMs);
  let transfer = '';
  let lastShownMs = Number.NEGATIVE_INFINITY;
  let lastShare = 0;
  let openLineLength = 0;

  // Some pseudo-terminals report 0 columns.
  const columns = () => output.columns || 80;

  function writeLine(text: string): void {
    finish();
    output.write(`${text}\n`);
  }

  function redraw(text: string): void {
    const line = text.slice(0, columns() - 1);
    output.write(`\r${line.padEnd(openLineLength)}`);
    openLineLength = line.length;
  }

  function finish(): void {
    if (openLineLength > 0) output.write('\n');
    openLineLength = 0;
  }

  function isDue(progress: FetchProgress): boolean {
    const sinceMs = nowMs() - lastShownMs;
    const share = shareDone(progress);
    if (share === 1 && lastShare < 1) return true;
    if (output.isTTY) return sinceMs >= REDRAW_MS;
    return (
      sinceMs >= LINE_EVERY_MS ||
      (sinceMs >= LINE_PAUSE_MS && share !== undefined && share - lastShare >= LINE_EVERY_SHARE)
    );
  }

  function showFetching(progress: FetchProgress): void {
    const key = `${progress.modelId} ${progress.source}`;
    if (key !== transfer) {
      finish();
      transfer = key;
      meter = createRateMeter(nowMs);
      lastShownMs = Number.NEGATIVE_INFINITY;
      lastShare = 0;
    }
    meter.add(progress.doneBytes);
    if (!isDue(progress)) return;
    lastShownMs = nowMs();
    lastShare = shareDone(progress) ?? 0;
    if (output.isTTY) redraw(describeBar(progress, meter.bytesPerSecond(), columns()));
    else writeLine(describeLine(progress, meter.bytesPerSecond()));
  }

  return {
    finish,
    show(progress) {
      switch (progress.phase) {
        case 'fetching':
          // Built-in files need no transfer.
          if (progress.source !== 'built-in') showFetching(progress);
          break;
        case 'waiting':
          writeLine(`${progress.modelId}  waiting for process ${progress.holderPid}, which is installing it`);
          break;
        case 'source_failed':
          writeLine(`${progress.modelId}  ${SOURCE_NAMES[progress.source]} failed: ${progress.reason}`);
          break;
        case 'installed':
          writeLine(`${progress.modelId}  installed`);
          break;
      }
    },
  };
}

function shareDone({ doneBytes, totalBytes }: FetchProgress): number | undefined {
  return totalBytes === undefined || totalBytes === 0 ? undefined : Math.min(1, doneBytes / totalBytes);
}

/** Size, rate and remaining time, for example `42.9 of 89.0 MB  18.8 MB/s  3 s left`. */
function describeTransfer(progress: FetchProgress, bytesPerSecond: number | undefined): string {
  const { doneBytes, totalBytes } = progress;
  const parts = [totalBytes === undefined ? formatBytes(doneBytes) : formatShare(doneBytes, totalBytes)];
  if (bytesPerSecond !== undefined && bytesPerSecond > 0 && shareDone(progress) !== 1) {
    parts.push(`${formatBytes(bytesPerSecond)}/s`);
    if (totalBytes !== undefined)
      parts.push(`${formatSeconds((totalBytes - doneBytes) / bytesPerSecond)} left`);
  }
  return parts.join('  ');
}

function formatShare(doneBytes: number, totalBytes: number): string {
  const [done, doneUnit] = formatBytes(doneBytes).split(' ');
  const total = formatBytes(totalBytes);
  return total.endsWith(` ${doneUnit}`) ? `${done} of ${total}` : `${done} ${doneUnit} of ${total}`;
}

function describeLine(progress: FetchProgress, bytesPerSecond: number | undefined): string {
  const share = formatPercent(shareDone(progress));
  const transfer = describeTransfer(progress, bytesPerSecond);
  return `${progress.modelId} from ${SOURCE_NAMES[progress.source]}${share}  ${transfer}`;
}

/** Like `describeLine`, but with a bar of the available width instead of the source. */
function describeBar(progress: FetchProgress, bytesPerSecond: number | undefined, columns: number): string {
  const share = shareDone(progress);
  const rest = `${formatPercent(share)}  ${describeTransfer(progress, bytesPerSecond)}`;
  const available = columns - 1 - progress.modelId.length - 2 - rest.length;
  const width = share === undefined || available < BAR_WIDTH.min ? 0 : Math.min(available, BAR_WIDTH.max);
  const filled = Math.floor((share ?? 0) * width);
  const bar = width === 0 ? '' : `  ${'█'.repeat(filled)}${'░'.repeat(width - filled)}`;
  return `${progress.modelId}${bar}${rest}`;
}

function formatPercent(share: number | undefined): string {
  return share === undefined ? '' : `  ${String(Math.floor(share * 100)).padStart(3)} %`;
}

/** Measures the transfer rate over the last `RATE_WINDOW_MS`. */
function createRateMeter(nowMs: () => number) {
  let samples: { atMs: number; bytes: number }[] = [];
  return {
    add(bytes: number): void {
      const atMs = nowMs();
      samples = samples.filter((sample) => atMs - sample.atMs <= RATE_WINDOW_MS);
      const last = samples.at(-1);
      if (last === undefined || atMs - last.atMs >= REDRAW_MS) samples.push({ atMs, bytes });
      else last.bytes = bytes;
    },
    bytesPerSecond(): number | undefined {
      const first = samples[0];
      const last = samples.at(-1);
      if (first === undefined || last === undefined || last.atMs === first.atMs) return undefined;
      return Math.max(0, last.bytes - first.bytes) / ((last.atMs - first.atMs) / 1000);
    },
  };
}

/** A size in decimal units: `742 B`, `4.1 kB`, `92.4 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${Math.round(bytes)} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = -1;
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}

/** A duration in its two largest units: `42 s`, `3 min 05 s`, `1 h 12 min`. */
export function formatSeconds(seconds: number): string {
  const rounded = Math.ceil(seconds);
  if (rounded < 60) return `${rounded} s`;
  const minutes = Math.floor(rounded / 60);
  if (minutes < 60) return `${minutes} min ${String(rounded % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}
