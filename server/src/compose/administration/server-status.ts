import type { ServerStatus } from '../../api/schemas/server/server-status.ts';
import type { KnownWorker } from '../../infrastructure/messaging/protocol/presence-table.ts';
import type { Accounts } from '../accounts.ts';
import type { ClusterMember, RunningGateway } from '../cluster/cluster.ts';
import type { SpeechRuntime } from '../speech/speech-runtime.ts';

export interface StatusSources {
  readonly speech: Pick<SpeechRuntime, 'load'>;
  readonly accounts: Pick<Accounts, 'accounting'>;
  readonly transcriptions: () => number;
  readonly membership: Pick<ClusterMember, 'gateways'>;
  readonly workers: () => readonly KnownWorker[];
}

/** Reads load, queues and nodes. */
export async function readStatus(sources: StatusSources): Promise<ServerStatus> {
  const { streams, utilisation, queued, awaitingFirstAudio } = sources.speech.load();
  return {
    load: { streams, utilisation, transcriptions: sources.transcriptions() },
    queues: {
      capacity: queued,
      first_audio: awaitingFirstAudio,
      admission: sources.accounts.accounting.admission.queueLength,
    },
    gateways: (await sources.membership.gateways()).map(toGatewayBody),
    workers: sources.workers().map(toWorkerBody),
  };
}

function toGatewayBody({
  id,
  host,
  version,
  startedAtMs,
  isSelf,
}: RunningGateway): ServerStatus['gateways'][number] {
  return { id, host, version, started_at: new Date(startedAtMs).toISOString(), is_self: isSelf };
}

function toWorkerBody({ id, heartbeat, isCompatible }: KnownWorker): ServerStatus['workers'][number] {
  return {
    id,
    version: heartbeat.version,
    state: !isCompatible ? 'incompatible' : heartbeat.isDraining ? 'draining' : 'ready',
    work: heartbeat.kinds.map(({ kind, slots, openTasks, engines }) => ({
      kind,
      slots,
      open_tasks: openTasks,
      engines: [...engines],
    })),
  };
}
