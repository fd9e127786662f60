import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createEncoder, type WasmMediaEncoder } from 'wasm-media-encoders';

/** A LAME encoder in WebAssembly. The results of `encode` and `finalize` are valid until the next call. */
export type Lame = WasmMediaEncoder<'audio/mpeg'>;

/** The configuration of an instance; always mono, constant bitrate. The rates up to 24 kHz are MPEG-2. */
export interface LameOptions {
  readonly sampleRateHz: 44100 | 48000 | 32000 | 24000 | 22050;
  readonly bitrateKbps: 32 | 40 | 48 | 64 | 96 | 128 | 192;
}

// Only the garbage collector can free the memory of an instance, so idle instances are reused.
const MAX_IDLE = 16;
const idle: Lame[] = [];

// The bytes of the WebAssembly file until the first instance has compiled them, then the compiled module.
let wasm: Parameters<typeof createEncoder>[1] | undefined;

/** Takes an encoder from the pool, configured for a new stream. */
export async function acquireLame({ sampleRateHz, bitrateKbps }: LameOptions): Promise<Lame> {
  const lame = idle.pop() ?? (await createLame());
  // Also resets the state of an abandoned stream. Without `outputSampleRate` LAME would choose a rate.
  lame.configure({
    channels: 1,
    sampleRate: sampleRateHz,
    outputSampleRate: sampleRateHz,
    bitrate: bitrateKbps,
  });
  return lame;
}

/** Returns an encoder to the pool, in any state. */
export function releaseLame(lame: Lame): void {
  if (idle.length < MAX_IDLE) idle.push(lame);
}

/** The number of idle encoders in the pool. */
export function idleLameCount(): number {
  return idle.length;
}

async function createLame(): Promise<Lame> {
  wasm ??= await readFile(fileURLToPath(import.meta.resolve('wasm-media-encoders/wasm/mp3')));
  return createEncoder('audio/mpeg', wasm, (compiled) => {
    wasm = compiled;
  });
}
