import { readFile, writeFile } from 'node:fs/promises';
import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { Resampler } from '../../audio/resampler.ts';
import { type AsrContext, HEARING_RATE_HZ, type VoicePrinter } from '../asr-engine.ts';
import { writeModel } from '../onnx/model.ts';
import { openSession } from '../session.ts';
import { speechCepstra, VOICE_PRINT_RATE_HZ } from './cepstra.ts';
import { KaldiNetwork, readKaldiMatrix, readKaldiTextVector } from './kaldi-network.ts';
import { buildVoicePrintModel, CEPSTRA_PER_FRAME, CONTEXT_FRAMES } from './voice-print-graph.ts';

const MODEL = 'voice-print';
/** Less than this says nothing about a voice. */
const FRAMES_MIN = 2 * CONTEXT_FRAMES + 30;
/** More than this says nothing new, and would only cost. */
const SECONDS_MAX = 10;

/** Opens the x-vector network. The first time, it is written as ONNX beside the weights. */
export async function loadVoicePrinter(context: AsrContext): Promise<VoicePrinter> {
  const file = (name: string) => context.file(MODEL, name);
  const path = await context.derive(MODEL, 'network.onnx', 1, async (target) => {
    const network = new KaldiNetwork(await readFile(await file('final.ext.raw')));
    await writeFile(target, writeModel(buildVoicePrintModel(network)));
  });
  const mean = readKaldiTextVector(await readFile(await file('mean.vec'), 'utf8'));
  const { weights } = readKaldiMatrix(await readFile(await file('transform.mat')));
  const session = await openSession(path, { threads: context.threads });
  return {
    print: (samples) => printOf(session, samples, { mean, weights }),
    close: () => session.release(),
  };
}

/** What makes prints of different recordings comparable: their mean is taken off, and they are turned and stretched. */
interface Whitening {
  readonly mean: Float32Array;
  readonly weights: Float32Array;
}

async function printOf(
  session: InferenceSession,
  samples: Float32Array,
  whitening: Whitening,
): Promise<readonly number[] | undefined> {
  const { frames, values } = speechCepstra(toNarrowBand(samples.subarray(0, SECONDS_MAX * HEARING_RATE_HZ)));
  if (frames < FRAMES_MIN) return undefined;
  const byCepstrum = new Float32Array(values.length);
  for (let frame = 0; frame < frames; frame++) {
    for (let k = 0; k < CEPSTRA_PER_FRAME; k++) {
      byCepstrum[k * frames + frame] = values[frame * CEPSTRA_PER_FRAME + k]!;
    }
  }
  const { print } = await session.run({
    cepstra: new Tensor('float32', byCepstrum, [1, CEPSTRA_PER_FRAME, frames]),
  });
  return whitened(print!.data as Float32Array, whitening);
}

function toNarrowBand(samples: Float32Array): Float32Array {
  const resampler = new Resampler({ fromHz: HEARING_RATE_HZ, toHz: VOICE_PRINT_RATE_HZ });
  const [head, tail] = [resampler.process(samples), resampler.flush()];
  const whole = new Float32Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
}

function whitened(raw: Float32Array, { mean, weights }: Whitening): number[] {
  const centred = raw.map((value, index) => value - mean[index]!);
  const turned = Array.from(raw, (_, row) =>
    centred.reduce((sum, value, column) => sum + value * weights[row * raw.length + column]!, 0),
  );
  const length = Math.sqrt(turned.reduce((sum, value) => sum + value ** 2, 0)) || 1;
  // Four digits are more than a voice can be told by, and a two-hour recording has many of these.
  return turned.map((value) => Math.round((value / length) * 1e4) / 1e4);
}
