// A reporter of Node's test runner: counts the tests of one process, lists the files with failures, and writes both as
// one line of JSON.
// biome-ignore lint/style/noDefaultExport: Node reads a reporter from the default export
export default async function* countTests(source) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const failedFiles = new Set();
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (type === 'test:fail' && data.nesting === 0) failedFiles.add(data.file ?? '');
    if (data.details?.type === 'suite') continue;
    if (data.skip || data.todo) counts.skipped++;
    else if (type === 'test:pass') counts.passed++;
    else counts.failed++;
  }
  yield `${JSON.stringify({ ...counts, failedFiles: [...failedFiles] })}\n`;
}
