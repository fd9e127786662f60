import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFilterNetwork } from './filter-network.ts';
import { readFrontNetworks } from './front-network.ts';

/** Networks of the default engine that `scripts/bundle.mjs` writes beside the bundle: making them takes 0.2 s of a start. */
const FILES = { style: 'front-style.onnx', front: 'front.onnx', decoder: 'decoder-filters.onnx' } as const;

export const FRONT_ASSET = 'front/front-int8.onnx';
export const DECODER_ASSET = 'decoder/decoder-int8.onnx';

type Asset = (name: string) => string;

/** The networks of the front: their files beside this module, or their contents. */
export async function openFrontNetworks(asset: Asset): Promise<{
  readonly style: string | Uint8Array;
  readonly front: string | Uint8Array;
}> {
  const [style, front] = [findBuilt('style'), findBuilt('front')];
  return style !== undefined && front !== undefined
    ? { style, front }
    : readFrontNetworks(asset(FRONT_ASSET));
}

/** The network of the decoder for Kokoro's voices: its file beside this module, or its content. */
export async function openDecoderNetwork(asset: Asset): Promise<string | Uint8Array> {
  return findBuilt('decoder') ?? readFilterNetwork(asset(DECODER_ASSET));
}

/** Makes the contents of the files, by name. */
export async function buildNetworks(asset: Asset): Promise<ReadonlyMap<string, Uint8Array>> {
  const { style, front } = await readFrontNetworks(asset(FRONT_ASSET));
  const decoder = await readFilterNetwork(asset(DECODER_ASSET));
  return new Map([
    [FILES.style, style],
    [FILES.front, front],
    [FILES.decoder, decoder],
  ]);
}

function findBuilt(network: keyof typeof FILES): string | undefined {
  const path = join(fileURLToPath(new URL('.', import.meta.url)), FILES[network]);
  return existsSync(path) ? path : undefined;
}
