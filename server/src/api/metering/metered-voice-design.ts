import { VOICE_DESIGN } from '../../domain/voices/design/voice-description.ts';
import type { DesignRequest, VoiceDesign } from '../../domain/voices/design/voice-designer.ts';
import type { ApiDeps } from '../dependencies.ts';
import { streamBytes, toByteStream } from '../responses/byte-stream.ts';
import type { Exchange } from './idempotent-request.ts';
import { type MeteredRequest, meterRequest } from './metered-request.ts';

export type VoiceDesignDeps = Pick<ApiDeps, 'designer' | 'config' | 'accounting'>;

/** Designs voices and sends them as JSON. A text of the client is charged like speech, once for each candidate. */
export async function meterVoiceDesign(
  deps: VoiceDesignDeps,
  { request, reply }: Exchange,
  {
    design,
    content,
    write,
  }: {
    readonly design: Omit<DesignRequest, 'accountId'>;
    /** Everything that makes two requests equal. */
    readonly content: readonly unknown[];
    readonly write: (design: VoiceDesign) => object;
  },
): Promise<void> {
  const { text, count } = design;
  const metered: MeteredRequest = {
    service: 'voice_design',
    model: VOICE_DESIGN,
    units: 1,
    additional:
      text === undefined
        ? []
        : [{ service: 'tts', model: VOICE_DESIGN, units: count * Buffer.byteLength(text) }],
    content,
  };
  await meterRequest(deps.accounting, { request, reply }, metered, async (response) => {
    const { accountId } = request.caller;
    const designed = await deps.designer.design({ accountId, ...design }, response.signal);
    response.begin();
    const bytes = Buffer.from(JSON.stringify(write(designed)));
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(bytes.length),
      'x-mynah-model': VOICE_DESIGN,
    };
    const isComplete = await streamBytes(reply, response.record(toByteStream(bytes)), {
      headers,
      stallMs: deps.config.streamStallSeconds * 1000,
      // A client that disconnects during the response has received audio.
      onSent: () => {
        response.deliveredUnits = 1;
      },
    });
    if (isComplete) response.store(headers);
  });
}
