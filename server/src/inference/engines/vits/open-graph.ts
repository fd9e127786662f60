import { readFile, writeFile } from 'node:fs/promises';
import type { DeriveFile } from '../onnx/derive-in-folder.ts';
import { readModel, writeModel } from '../onnx/model.ts';
import { readFloats } from '../onnx/tensor.ts';
import { cutVitsGraph, type VitsParts } from './cut-graph.ts';

/** Increment when the cut or `VitsShape` changes; derived files of other versions are not used. */
export const CUT_VERSION = 1;

/** Dimensions needed to run the parts of an opened model. Stored as `shape.json`. */
export interface VitsShape {
  readonly latentChannels: number;
  readonly hasDurationNoise: boolean;
  readonly samplesPerFrame: number;
  /** Receptive field on either side, in frames. */
  readonly decoderReachFrames: number;
  readonly flowReachFrames: number;
  /** 0 for a single-speaker model. */
  readonly speakerCount: number;
  /** Values of a speaker vector. */
  readonly speakerSize: number;
}

/** A model cut into its parts, on disk. */
export interface OpenedVits {
  readonly shape: VitsShape;
  readonly frontPath: string;
  readonly flowPath: string;
  readonly decoderPath: string;
  /** `speakerCount` rows of `speakerSize` little-endian floats; undefined for a single-speaker model. */
  readonly speakersPath: string | undefined;
}

/** Opens a Piper model and derives its parts unless they exist. */
export async function openVitsGraph(modelPath: string, derive: DeriveFile): Promise<OpenedVits> {
  let cut: Promise<{ parts: VitsParts; shape: VitsShape }> | undefined;
  const cutOnce = () => {
    cut ??= cutFile(modelPath);
    return cut;
  };
  const part = (name: 'front' | 'flow' | 'decoder') =>
    derive(`${name}.onnx`, async (path) => {
      const { parts } = await cutOnce();
      await writeFile(path, writeModel(parts[name]));
    });

  const shapePath = await derive('shape.json', async (path) => {
    const { shape } = await cutOnce();
    await writeFile(path, JSON.stringify(shape));
  });
  const shape = JSON.parse(await readFile(shapePath, 'utf8')) as VitsShape;
  const speakersPath =
    shape.speakerCount === 0
      ? undefined
      : await derive('speakers.f32', async (path) => {
          const { parts } = await cutOnce();
          const { buffer } = readFloats(parts.speakers!);
          await writeFile(path, new Uint8Array(buffer));
        });
  return {
    shape,
    frontPath: await part('front'),
    flowPath: await part('flow'),
    decoderPath: await part('decoder'),
    speakersPath,
  };
}

async function cutFile(modelPath: string): Promise<{ parts: VitsParts; shape: VitsShape }> {
  const model = readModel(await readFile(modelPath));
  const parts = cutVitsGraph(model);
  const [speakerCount = 0, speakerSize = 0] = parts.speakers?.dims ?? [];
  return {
    parts,
    shape: {
      latentChannels: parts.latentChannels,
      hasDurationNoise: parts.hasDurationNoise,
      samplesPerFrame: parts.samplesPerFrame,
      decoderReachFrames: parts.decoderReachFrames,
      flowReachFrames: parts.flowReachFrames,
      speakerCount,
      speakerSize,
    },
  };
}
