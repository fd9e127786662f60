import type { AccountCall, ClipReader, ReadTask } from '../../../src/domain/voices/intake/clip-reader.ts';
import type { Clip } from '../../../src/domain/voices/intake/read-clip.ts';
import { readRecordings } from '../../../src/domain/voices/intake/read-recordings.ts';

/** Decodes recordings in this process, for tests without worker processes. Records its calls. */
export class LocalClipReader implements ClipReader {
  readonly calls: AccountCall[] = [];
  /** Called at the start of each task. */
  onRead: ((call: AccountCall) => Promise<void>) | undefined;

  async read(task: ReadTask, call: AccountCall): Promise<readonly Clip[]> {
    this.calls.push(call);
    await this.onRead?.(call);
    return readRecordings(task, { signal: call.signal });
  }

  async inTurn<Result>(_: AccountCall, work: () => Promise<Result>): Promise<Result> {
    return work();
  }
}
