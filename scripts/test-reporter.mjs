// A reporter of Node's test runner: counts the tests of one process, lists the files with failures and the durations of
// files that are suites (scripts/test.mjs), and writes all as one line of JSON.
const isFile = ({ nesting, name, details }) =>
  nesting === 0 && details?.type === 'suite' && /\.test\.m?js$/.test(name);

// biome-ignore lint/style/noDefaultExport: Node reads a reporter from the default export
export default async function* countTests(source) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const failedFiles = new Set();
  const files = [];
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (isFile(data)) files.push({ name: data.name, seconds: data.details.duration_ms / 1000 });
    if (type === 'test:fail' && data.nesting === 0)
      failedFiles.add(isFile(data) ? data.name : (data.file ?? ''));
    if (data.details?.type === 'suite') continue;
    if (data.skip || data.todo) counts.skipped++;
    else if (type === 'test:pass') counts.passed++;
    else counts.failed++;
  }
  yield `${JSON.stringify({ ...counts, failedFiles: [...failedFiles], files })}\n`;
}
