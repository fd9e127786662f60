// A reporter of Node's test runner: counts the tests of one process, lists the files with failures and the durations of
// files that are suites (scripts/test.mjs), and writes all as one line of JSON, with the CPU times of the process and of
// those files. Child processes count for the file in which they end.
import { readFileSync } from 'node:fs';

/** Clock ticks per second in /proc, the same on every Linux. */
const TICKS_PER_SECOND = 100;

const isFile = ({ nesting, name, details }) =>
  nesting === 0 && details?.type === 'suite' && /\.(engine-)?test\.m?js$/.test(name);

// biome-ignore lint/style/noDefaultExport: Node reads a reporter from the default export
export default async function* countTests(source) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const failedFiles = new Set();
  const files = [];
  let cpuBefore = 0;
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (isFile(data)) {
      const cpu = cpuSeconds();
      files.push({ name: data.name, seconds: data.details.duration_ms / 1000, cpuSeconds: cpu - cpuBefore });
      cpuBefore = cpu;
    }
    if (type === 'test:fail' && data.nesting === 0)
      failedFiles.add(isFile(data) ? data.name : (data.file ?? ''));
    if (data.details?.type === 'suite') continue;
    if (data.skip || data.todo) counts.skipped++;
    else if (type === 'test:pass') counts.passed++;
    else counts.failed++;
  }
  yield `${JSON.stringify({ ...counts, failedFiles: [...failedFiles], files, cpuSeconds: cpuSeconds() })}\n`;
}

/** CPU time of this process and of its children that have ended, 0 where there is no /proc. */
function cpuSeconds() {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // After the name in brackets: state is field 3; utime, stime, cutime and cstime are fields 14 to 17.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}
