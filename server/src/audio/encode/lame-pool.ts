import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createEncoder, type WasmMediaEncoder } from 'wasm-media-encoders';

/** A LAME encoder in WebAssembly. What `encode` and `finalize` return is only valid until the next call. */
export type Lame = WasmMediaEncoder<'audio/mpeg'>;

/** What an instance can be configured for; always mono, MPEG-1, constant bitrate. */
export interface LameOptions {
  readonly sampleRateHz: 44100 | 48000 | 32000;
  readonly bitrateKbps: 40 | 64 | 96 | 128 | 192;
}

// An instance holds memory that only the garbage collector can free, so a few are kept and used again.
const MAX_IDLE = 16;
const idle: Lame[] = [];

// The file's bytes until the first instance has compiled them, then the compiled module.
let wasm: Parameters<typeof createEncoder>[1] | undefined;

/** A fresh encoder. It belongs to the caller until given back. */
export async function takeLame({ sampleRateHz, bitrateKbps }: LameOptions): Promise<Lame> {
  const lame = idle.pop() ?? (await createLame());
  // Also clears what an abandoned stream left behind. Without the output rate LAME would pick one.
  lame.configure({
    channels: 1,
    sampleRate: sampleRateHz,
    outputSampleRate: sampleRateHz,
    bitrate: bitrateKbps,
  });
  return lame;
}

/** Gives an encoder back, in whatever state it is. */
export function giveBackLame(lame: Lame): void {
  if (idle.length < MAX_IDLE) idle.push(lame);
}

/** How many encoders wait to be used again. */
export function idleLameCount(): number {
  return idle.length;
}

async function createLame(): Promise<Lame> {
  wasm ??= await readFile(fileURLToPath(import.meta.resolve('wasm-media-encoders/wasm/mp3')));
  return createEncoder('audio/mpeg', wasm, (compiled) => {
    wasm = compiled;
  });
}
