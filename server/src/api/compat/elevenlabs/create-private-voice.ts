import type { NewVoice } from '../../../domain/voices/library/new-voice.ts';
import type { StoredVoice } from '../../../domain/voices/stored-voice.ts';
import type { ApiDeps } from '../../dependencies.ts';
import { createIdempotently, type Exchange, workSignal } from '../../metering/idempotent-request.ts';
import { meterTranscripts } from '../../metering/metered-transcripts.ts';
import { ownerOf } from '../../routes/model-writes.ts';

/** Creates a private voice from recordings or from a design, once per idempotency key, and sends `write` of it. */
export async function createPrivateVoice(
  { library, accounting }: Pick<ApiDeps, 'library' | 'accounting'>,
  { request, reply }: Exchange,
  source: Pick<NewVoice, 'title' | 'description' | 'recordings' | 'designed'>,
  write: (voice: StoredVoice) => object,
): Promise<void> {
  await createIdempotently(accounting.idempotency, { request, reply }, { status: 200 }, async (attempt) => {
    const voice = await library.create(
      ownerOf(request),
      {
        ...source,
        visibility: 'private',
        tags: [],
        mix: undefined,
        cover: undefined,
        isRefined: false,
        isSampled: false,
        consentStatement: '',
      },
      {
        signal: workSignal(reply, attempt),
        meterTranscript: meterTranscripts(accounting.billing, request.caller),
      },
    );
    return write(voice);
  });
}
