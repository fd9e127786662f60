import type { FastifyReply, FastifyRequest } from 'fastify';
import { chargeHeard } from '../billing/charge-heard.ts';
import { formatUsd } from '../billing/money.ts';
import type { Till } from '../billing/till.ts';
import type { Transcript, TranscriptionEvent } from '../transcription/transcription-service.ts';
import { COST_HEADER } from './selling.ts';

/** Takes the price of what was heard before the result is told. */
export async function* charged(
  work: AsyncIterable<TranscriptionEvent>,
  sale: {
    readonly till: Till;
    readonly model: string;
    readonly request: FastifyRequest;
    readonly reply: FastifyReply;
  },
): AsyncGenerator<TranscriptionEvent> {
  const { till, model, request, reply } = sale;
  for await (const event of work) {
    if (event.type === 'finished') {
      const seconds = event.transcript.durationSeconds;
      const priceNano = await chargeHeard(till, request.caller!, { model, seconds });
      if (!reply.sent) reply.header(COST_HEADER, formatUsd(priceNano));
    }
    yield event;
  }
}

/** The transcript that all the work leads to. */
export async function resultOf(work: AsyncIterable<TranscriptionEvent>): Promise<Transcript> {
  for await (const event of work) if (event.type === 'finished') return event.transcript;
  throw new Error('The transcription ended without a result.');
}
