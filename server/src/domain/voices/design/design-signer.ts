import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { ApiError } from '../../../errors.ts';
import type { ClonedVoice } from '../voice-cloner.ts';

const VERSION = 1;

const SignedVoice = z.object({
  version: z.literal(VERSION),
  sha256: z.string(),
  engine: z.string(),
  /** Float32 values, little-endian, in base64. */
  vector: z.string(),
  loudnessLufs: z.number(),
  gender: z.enum(['female', 'male', 'unknown']),
  measures: z.record(z.string(), z.number()),
});

/** Signs designed voices (HMAC-SHA-256). The signature contains the voice, so that the server need not store it. */
export class DesignSigner {
  readonly #secret: Uint8Array;

  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  /** Signs a voice together with the hash of its sample. */
  sign(voice: ClonedVoice, sha256: string): string {
    const { engine, loudnessLufs, gender, measures } = voice;
    const { buffer, byteOffset, byteLength } = voice.vector;
    const vector = Buffer.from(buffer, byteOffset, byteLength).toString('base64');
    const signed = { version: VERSION, sha256, engine, vector, loudnessLufs, gender, measures };
    const body = Buffer.from(JSON.stringify(signed)).toString('base64url');
    return `${body}.${this.#mac(body).toString('base64url')}`;
  }

  /** Returns the voice of a signature. Throws `invalid_parameter` for a wrong signature or another sample. */
  verify(signature: string, sha256: string): ClonedVoice {
    const [body = '', mac = ''] = signature.split('.');
    const given = Buffer.from(mac, 'base64url');
    const expected = this.#mac(body);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw new ApiError('invalid_parameter', 'A voice design signature was not created by this server.');
    }
    const signed = SignedVoice.parse(JSON.parse(Buffer.from(body, 'base64url').toString('utf8')));
    if (signed.sha256 !== sha256) {
      throw new ApiError('invalid_parameter', 'A voice design signature belongs to another recording.');
    }
    const bytes = Uint8Array.from(Buffer.from(signed.vector, 'base64'));
    const { engine, loudnessLufs, gender, measures } = signed;
    return { engine, vector: new Float32Array(bytes.buffer), loudnessLufs, gender, measures };
  }

  #mac(body: string): Buffer {
    return createHmac('sha256', this.#secret).update(`mynah:voice-design:${body}`).digest();
  }
}
