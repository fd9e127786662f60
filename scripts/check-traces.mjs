// Checks traces with a real server and the OpenTelemetry Collector: every request of speech, transcription and cloning gives one
// trace, whose spans all have their parent, from the HTTP request to the engine in a worker process. Needs a build, the models,
// and the collector of deploy/check/otelcol, which go builds.
//
//   node scripts/check-traces.mjs OTELCOL
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  assert,
  CLI_MAIN,
  firstKey,
  form,
  freePort,
  post,
  startServer,
  stopServer,
  until,
  VOICE_TEXT,
} from './support/real-server.mjs';

const SPEECH_REQUESTS = 10;
const TEXT = 'The quick brown fox jumps over the lazy dog. Then it sleeps for a while.';
const SPEECH_SPANS = [
  'admission',
  'capacity',
  'text.plan',
  'text',
  'dispatch',
  'worker job',
  'engine.front',
  'engine.window',
  'encode',
  'database',
];
const TRANSCRIPTION_SPANS = ['admission', 'worker job', 'engine.transcribe', 'database'];
const TRACE_TIMEOUT_MS = 60_000;

const program = resolve(process.argv[2] ?? 'otelcol');
const scratch = mkdtempSync(join(tmpdir(), 'mynah-check-traces-'));
const [port, collectorPort] = [await freePort(), await freePort()];
const url = `http://127.0.0.1:${port}`;
const env = {
  ...process.env,
  MYNAH_DATA: join(scratch, 'data'),
  PORT: String(port),
  MYNAH_BILLING: 'prepaid',
  MYNAH_LOG_LEVEL: 'warn',
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collectorPort}`,
};
const collector = await startCollector();
let server;
try {
  server = await startServer({ url, env });
  const key = firstKey(join(scratch, 'data'));
  execFileSync(process.execPath, [CLI_MAIN, 'topup', 'acc_first', '100'], { env, stdio: 'ignore' });

  const recording = await request('/v1/tts', key, { text: VOICE_TEXT, format: 'wav' });
  const speech = await Promise.all(
    Array.from({ length: SPEECH_REQUESTS }, () => request('/v1/tts', key, { text: TEXT })),
  );
  const transcription = await request('/v1/asr', key, form({ audio: recording.body }));
  const cloning = await request('/model', key, form({ title: 'Check', voices: recording.body }));
  await stopServer(server);

  const traces = [];
  for (const { traceId } of [recording, ...speech])
    traces.push(await checkTrace('POST /v1/tts', traceId, SPEECH_SPANS));
  traces.push(await checkTrace('POST /v1/asr', transcription.traceId, TRANSCRIPTION_SPANS));
  traces.push(await checkTrace('POST /model', cloning.traceId, ['database']));
  printTree(traces[1]);
  const spans = traces.reduce((sum, trace) => sum + trace.length, 0);
  console.log(`${traces.length} requests, ${traces.length} traces, ${spans} spans, each with its parent`);
  console.log(execFileSync(program, ['--version'], { encoding: 'utf8' }).trim());
} finally {
  server?.kill('SIGKILL');
  collector.stop();
  rmSync(scratch, { recursive: true, force: true });
}

async function request(path, key, body) {
  const response = await post(url + path, key, body);
  assert(response.ok, `${path}: ${response.status}`);
  return {
    traceId: response.headers.get('x-fish-trace-id'),
    body: Buffer.from(await response.arrayBuffer()),
  };
}

/** The spans of a trace, once its root has arrived. */
async function checkTrace(rootName, traceId, expected) {
  let spans = [];
  const isComplete = () => {
    spans = collector.spans().filter((span) => span.traceId === traceId);
    return spans.some(({ name }) => name === rootName);
  };
  await until(`the trace of ${rootName} is complete`, isComplete, TRACE_TIMEOUT_MS);
  const ids = new Set(spans.map(({ id }) => id));
  const roots = spans.filter(({ parentId }) => parentId === '');
  assert(roots.length === 1 && roots[0].name === rootName, `${rootName}: ${roots.length} roots`);
  for (const { name, parentId } of spans)
    assert(parentId === '' || ids.has(parentId), `${rootName}: ${name} has no parent`);
  const names = new Set(spans.map(({ name }) => name));
  for (const name of expected) assert(names.has(name), `${rootName}: no span ${name}`);
  const jobs = spans.filter(({ name }) => name === 'worker job');
  for (const { pid } of jobs)
    assert(pid && pid !== server.pid, `${rootName}: a job outside a worker process`);
  return spans;
}

/** Runs the collector with a receiver for OTLP over HTTP; it prints every span. */
async function startCollector() {
  const config = join(scratch, 'otelcol.yaml');
  writeFileSync(
    config,
    `receivers:
  otlp:
    protocols:
      http:
        endpoint: 127.0.0.1:${collectorPort}
exporters:
  debug:
    verbosity: detailed
    use_internal_logger: false
service:
  telemetry:
    logs:
      level: error
    metrics:
      level: none
  pipelines:
    traces:
      receivers: [otlp]
      exporters: [debug]
`,
  );
  const child = spawn(program, ['--config', `file:${config}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const isListening = () =>
    fetch(`http://127.0.0.1:${collectorPort}/`).then(
      () => true,
      () => false,
    );
  await until('the collector listens', isListening, TRACE_TIMEOUT_MS);
  return { spans: () => parseSpans(output), stop: () => child.kill('SIGKILL') };
}

/** The spans in what the debug exporter has printed. */
function parseSpans(output) {
  return output
    .split(/^Span #\d+$/m)
    .slice(1)
    .map((text) => {
      const field = (name) => text.match(new RegExp(`^ {4}${name} +:(.*)$`, 'm'))?.[1].trim() ?? '';
      return {
        traceId: field('Trace ID'),
        id: field('ID'),
        parentId: field('Parent ID'),
        name: field('Name'),
        startMs: Date.parse(field('Start time').replace(' +0000 UTC', 'Z').replace(' ', 'T')),
        endMs: Date.parse(field('End time').replace(' +0000 UTC', 'Z').replace(' ', 'T')),
        pid: Number(text.match(/-> process\.pid: Int\((\d+)\)/)?.[1]),
      };
    });
}

/** Prints a trace as a tree. Equal siblings are counted. */
function printTree(spans, parentId = '', indentation = '') {
  const children = spans
    .filter((span) => span.parentId === parentId)
    .toSorted((a, b) => a.startMs - b.startMs);
  for (const name of new Set(children.map((span) => span.name))) {
    const equal = children.filter((span) => span.name === name);
    const [first] = equal;
    const process = first.pid ? `, process ${first.pid}` : '';
    console.log(`${indentation}${name} × ${equal.length}: ${first.endMs - first.startMs} ms${process}`);
    printTree(spans, first.id, `${indentation}  `);
  }
}
