import type { Caller } from '../../domain/accounts/caller.ts';
import type { Billing } from '../../domain/accounts/metering/billing.ts';
import type { MeterTranscript } from '../../domain/voices/library/voice-training.ts';

/** The transcription model that a recording of a voice is charged as. */
const MODEL = 'transcribe-1';

/** Charges the transcripts of the recordings of a new voice like transcription. */
export function meterTranscripts(billing: Pick<Billing, 'openCharge'>, caller: Caller): MeterTranscript {
  return async (seconds, transcribe) => {
    const units = Math.ceil(seconds);
    const charge = await billing.openCharge(caller, { service: 'asr', model: MODEL, units });
    let deliveredUnits = 0;
    try {
      const transcript = await transcribe();
      deliveredUnits = units;
      return transcript;
    } finally {
      await charge.settle(deliveredUnits);
    }
  };
}
