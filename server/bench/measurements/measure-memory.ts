import type { BenchContext } from '../bench-context.ts';
import { streamSpeech } from '../clients/http-client.ts';
import { residentBytesOf } from '../processes/processes.ts';
import { megabytes, type PartReport, percent, type Row } from '../report.ts';
import { median } from '../statistics.ts';
import { sentenceFor } from '../texts.ts';

const SETTLED_AFTER = 50;
const GROWTH_MAX = 0.05;
/** The median of this many readings suppresses fluctuations of the garbage collector. */
const READINGS = 10;

/** Memory growth of the server's processes over sequential requests. */
export async function measureMemory({ server, effort }: BenchContext): Promise<PartReport> {
  const readings = new Map<number, number[]>(server.pids.map((pid) => [pid, []]));
  for (let request = 0; request < effort.memoryRequests; request++) {
    await streamSpeech(server, sentenceFor(request));
    for (const [pid, bytes] of readings) bytes.push(residentBytesOf(pid));
  }
  const growths = [...readings].map(([pid, bytes], index) => {
    const settledBytes = median(bytes.slice(SETTLED_AFTER - READINGS, SETTLED_AFTER));
    const lastBytes = median(bytes.slice(-READINGS));
    return {
      name: index === 0 ? 'server' : `worker ${index}`,
      pid,
      settledBytes,
      lastBytes,
      growth: lastBytes / settledBytes - 1,
    };
  });
  const rows: Row[] = growths.map(({ name, settledBytes, lastBytes, growth }) => ({
    what: `memory of ${name} after ${SETTLED_AFTER} and ${effort.memoryRequests} requests`,
    value: `${megabytes(settledBytes)}, ${megabytes(lastBytes)} (${percent(growth)})`,
    target: { text: `grows by less than ${percent(GROWTH_MAX)}`, isMet: growth < GROWTH_MAX },
  }));
  return { rows, data: growths.map((growth) => ({ ...growth, readings: readings.get(growth.pid) })) };
}
