/** Times and limits of dispatch. All times are in milliseconds. */
export interface DispatchPolicy {
  /** Interval of heartbeats. */
  readonly heartbeatMs: number;
  /** A worker without a sign of life for this time is suspected: hedged tasks start on a second worker as well. */
  readonly suspectMs: number;
  /** A worker without a sign of life for this time is lost. */
  readonly workerLostMs: number;
  /**
   * The same while all workers are silent: no other worker could continue their tasks, and the cause is probably the
   * network or a busy machine.
   */
  readonly allWorkersLostMs: number;
  /** A worker drops the tasks of a gateway without a sign of life for this time. */
  readonly gatewayLostMs: number;
  /** A gateway without responders is lost after this time: it may be about to reconnect. */
  readonly noResponderMs: number;
  /** Interval at which a gateway repeats its grant while nothing arrives. */
  readonly keepAliveMs: number;
  /** A worker with credit that sends nothing for this time is hung. */
  readonly overdueMs: number;
  /** Wait before a task that all workers refused is offered again. */
  readonly retryMs: number;
  /** Time after a reconnection in which no side is considered lost. */
  readonly reconnectGraceMs: number;
  /** Messages that may be in flight or unread per task. */
  readonly window: number;
  /** Inputs that may be in flight per task. */
  readonly inputWindow: number;
  /** A task that has lost this many workers fails. */
  readonly lossesMax: number;
  /** The same for losses that the task may have caused. */
  readonly suspectLossesMax: number;
  /** Tasks per gateway, and workers in its presence table. */
  readonly tasksMax: number;
  readonly workersMax: number;
  /** Ended tasks that a worker remembers, to fence off late attempts. */
  readonly fencedTasksMax: number;
}

export const DEFAULT_DISPATCH_POLICY: DispatchPolicy = {
  heartbeatMs: 200,
  suspectMs: 350,
  workerLostMs: 1000,
  allWorkersLostMs: 3000,
  gatewayLostMs: 4000,
  noResponderMs: 250,
  keepAliveMs: 250,
  overdueMs: 40_000,
  retryMs: 100,
  reconnectGraceMs: 1500,
  window: 16,
  inputWindow: 8,
  lossesMax: 6,
  suspectLossesMax: 2,
  tasksMax: 20_000,
  workersMax: 4096,
  fencedTasksMax: 4096,
};
