import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { ApiError } from '../../../errors.ts';
import type { ClonedVoice } from '../voice-cloner.ts';

const VERSION = 1;

const SealedVoice = z.object({
  version: z.literal(VERSION),
  sha256: z.string(),
  engine: z.string(),
  /** The bytes of its numbers, little-endian, in base64. */
  vector: z.string(),
  loudnessLufs: z.number(),
  gender: z.enum(['female', 'male', 'unknown']),
  measures: z.record(z.string(), z.number()),
});

/** Seals voices so that they can leave the server and come back: a signature carries the voice it is about. */
export class DesignSigner {
  readonly #secret: Uint8Array;

  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  /** Binds a voice to the file that was spoken with it. */
  sign(voice: ClonedVoice, sha256: string): string {
    const { engine, loudnessLufs, gender, measures } = voice;
    const { buffer, byteOffset, byteLength } = voice.vector;
    const vector = Buffer.from(buffer, byteOffset, byteLength).toString('base64');
    const sealed = { version: VERSION, sha256, engine, vector, loudnessLufs, gender, measures };
    const body = Buffer.from(JSON.stringify(sealed)).toString('base64url');
    return `${body}.${this.#mac(body).toString('base64url')}`;
  }

  /** The voice of a signature. Throws `invalid_parameter` unless it is ours and about this file. */
  open(signature: string, sha256: string): ClonedVoice {
    const [body = '', mac = ''] = signature.split('.');
    const given = Buffer.from(mac, 'base64url');
    const own = this.#mac(body);
    if (given.length !== own.length || !timingSafeEqual(given, own)) {
      throw new ApiError('invalid_parameter', 'A voice design signature was not made by this server.');
    }
    const sealed = SealedVoice.parse(JSON.parse(Buffer.from(body, 'base64url').toString('utf8')));
    if (sealed.sha256 !== sha256) {
      throw new ApiError('invalid_parameter', 'A voice design signature belongs to another recording.');
    }
    const bytes = Uint8Array.from(Buffer.from(sealed.vector, 'base64'));
    const { engine, loudnessLufs, gender, measures } = sealed;
    return { engine, vector: new Float32Array(bytes.buffer), loudnessLufs, gender, measures };
  }

  #mac(body: string): Buffer {
    return createHmac('sha256', this.#secret).update(`mynah:voice-design:${body}`).digest();
  }
}
